"""Forecasts series and estimates numbers that records do not state."""

import os

# The linear algebra here is many small matrices: threads of the BLAS would cost far more than they save, and would take
# cores that ONNX Runtime was given. It reads this when numpy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
