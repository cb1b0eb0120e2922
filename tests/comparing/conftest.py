import pytest

from tests.golden import Golden, add_option, comparer


def pytest_addoption(parser: pytest.Parser) -> None:
    add_option(parser)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return comparer(request)
