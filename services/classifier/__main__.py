"""`python -m services.classifier`: the classifier as a process of its own."""

from services.classifier.config import WEIGHTS, ClassifierConfig
from services.classifier.model import Classifier
from services.classifier.servicer import Models, register
from services.classifier.values import Request, noul
from services.runtime.lifecycle import ServiceSpec, main
from services.runtime.onnx.registry import Registry
from services.runtime.onnx.threads import cpu_threads


def load(config: ClassifierConfig) -> Models:
    """Load all models and run each once, so that the first caller does not pay for it."""
    threads = config.threads or cpu_threads()
    models = Registry(
        config.weights_root(WEIGHTS),
        lambda folder, card: Classifier(folder, card, threads=threads, provider=config.provider),
        default=config.model,
    )
    for model in models.models():
        model.decide(model.prepare(Request("warm", (noul("warm", "Is it warm?"),))))
    return models


SPEC = ServiceSpec("classifier", "quartet.v1.ClassifierService", ClassifierConfig, load, register)

if __name__ == "__main__":
    main(SPEC)
