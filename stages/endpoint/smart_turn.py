"""smart-turn v3.2: is the caller done, by the sound of the turn."""

from __future__ import annotations

from stages.contract import Audio
from stages.endpoint.config import SmartTurnConfig
from stages.endpoint.mel import last_seconds, log_mel
from stages.onnx import bundled, open_session


class SmartTurn:
    """Probability that a turn is over. No state: one object serves all streams.

    Method: smart-turn v3 (https://github.com/pipecat-ai/smart-turn), a Whisper encoder and a classifier.
    """

    def __init__(self, config: SmartTurnConfig | None = None) -> None:
        """Open the model. Raises EnvironmentFault when it is missing or unreadable."""
        config = config or SmartTurnConfig()
        path = config.model_path or bundled("audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx")
        self._session = open_session(path, config.threads)

    def probability(self, turn: Audio) -> float:
        """Probability that the caller is done, from the turn so far (float32, 16 kHz; the last 8 s count)."""
        features = log_mel(last_seconds(turn))
        return float(self._session.run(None, {"input_features": features[None]})[0].item())
