"""A cache is bounded by the number and by the weight of its values."""

from coderelay.core.cache import WeighedCache


def test_the_values_that_were_used_last_stay_cached() -> None:
    cache = WeighedCache[str, int](2, 100)
    cache.put("a", 1, 1)
    cache.put("b", 2, 1)
    assert cache.get("a") == 1
    cache.put("c", 3, 1)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_a_heavy_value_replaces_several_light_ones() -> None:
    cache = WeighedCache[str, int](10, 100)
    for key in "abcd":
        cache.put(key, 1, 25)
    cache.put("heavy", 2, 60)
    assert [cache.get(key) for key in "abcd"] == [None, None, None, 1]
    assert cache.get("heavy") == 2


def test_a_value_that_is_too_heavy_is_returned_and_not_cached() -> None:
    cache = WeighedCache[str, int](10, 100)
    assert cache.put("heavy", 1, 101) == 1
    assert cache.get("heavy") is None
    assert cache.put("light", 2, 100) == 2
    assert cache.put("heavy", 1, 101) == 1  # nothing is dropped for it
    assert cache.get("light") == 2


def test_the_value_that_is_there_first_stays() -> None:
    cache = WeighedCache[str, int](10, 100)
    cache.put("a", 1, 60)
    assert cache.put("a", 2, 60) == 1
    assert cache.put("b", 3, 40) == 3
    assert [cache.get(key) for key in "ab"] == [1, 3]
