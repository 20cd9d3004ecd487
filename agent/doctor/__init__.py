"""What this machine is and has: processor, memory, tools, models. Asked by `doctor` and by the build."""
