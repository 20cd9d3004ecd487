"""Voice activity and turn end: is this speech, and is the caller done?

import numpy as np
from stages.endpoint.silero import SileroVad
from stages.endpoint.smart_turn import SmartTurn
print(SileroVad().probability(np.zeros(512, dtype=np.float32)))
print(SmartTurn().probability(np.zeros(16_000, dtype=np.float32)))
"""
