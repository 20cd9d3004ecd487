"use strict";
// Plays a call's recording from any turn, and moves a line along its timeline meanwhile.
(() => {
  // Where a line of the timeline is drawn, in units of its viewBox (html_timeline.py).
  const LINE = { width: 960, left: 64, right: 952 };
  // The ear needs a moment before the turn to find its place.
  const RUN_UP_S = 0.5;

  const audioOf = (key) => document.querySelector(`#${key} audio`);

  const playFrom = (key, seconds) => {
    const section = document.getElementById(key);
    const audio = audioOf(key);
    if (!audio) return;
    section.open = true;
    for (const other of document.querySelectorAll("audio")) if (other !== audio) other.pause();
    audio.currentTime = Math.max(0, seconds - RUN_UP_S);
    audio.play().catch(() => section.querySelector(".no-audio").removeAttribute("hidden"));
  };

  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-call]");
    if (!target) return;
    let seconds = Number(target.dataset.at);
    if (target.dataset.span) {
      const box = target.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * LINE.width;
      seconds += RUN_UP_S + (Number(target.dataset.span) * (x - LINE.left)) / (LINE.right - LINE.left);
    }
    playFrom(target.dataset.call, seconds);
  });

  const follow = (audio) => {
    const section = audio.closest("details");
    for (const line of section.querySelectorAll(".line")) {
      const cursor = line.querySelector(".cursor");
      const share = (audio.currentTime - Number(line.dataset.at)) / Number(line.dataset.span);
      const here = share >= 0 && share < 1;
      cursor.style.visibility = here ? "visible" : "hidden";
      if (!here) continue;
      const x = LINE.left + share * (LINE.right - LINE.left);
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
    }
  };

  for (const audio of document.querySelectorAll("audio")) {
    audio.addEventListener("timeupdate", () => follow(audio));
    audio.addEventListener("seeked", () => follow(audio));
    audio.addEventListener("error", () => {
      audio.closest("details").querySelector(".no-audio").removeAttribute("hidden");
    });
  }

  // On paper every call is shown.
  addEventListener("beforeprint", () => {
    for (const section of document.querySelectorAll("details")) section.open = true;
  });
})();
