"""`python -m services.extractor`: the extractor as a process of its own."""

from services.extractor.config import WEIGHTS, ExtractorConfig
from services.extractor.fields import FieldSpec
from services.extractor.model import Extractor, Query
from services.extractor.servicer import Models, register
from services.runtime.lifecycle import ServiceSpec, main
from services.runtime.onnx.registry import Registry
from services.runtime.onnx.threads import cpu_threads


def load(config: ExtractorConfig) -> Models:
    """Load all models and run each once, so that the first caller does not pay for it."""
    threads = config.threads or cpu_threads()
    models = Registry(
        config.weights_root(WEIGHTS),
        lambda folder, card: Extractor.load(folder, card, threads=threads, provider=config.provider),
        default=config.model,
    )
    for model in models.models():
        model.extract(Query("Paid 5.00 EUR on 3 May 2026.", (FieldSpec("paid", "money"), FieldSpec("paid_on", "date"))))
    return models


SPEC = ServiceSpec("extractor", "quartet.v1.ExtractorService", ExtractorConfig, load, register)

if __name__ == "__main__":
    main(SPEC)
