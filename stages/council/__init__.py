"""Language-model seats on llama.cpp."""
