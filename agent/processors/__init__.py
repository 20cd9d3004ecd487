"""One pipecat processor a stage: hearing, turn end, council, speaking."""
