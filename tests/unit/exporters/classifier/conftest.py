from tests.unit.services.classifier.conftest import tiny

__all__ = ["tiny"]
