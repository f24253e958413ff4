"""Caches of decoded content stay within their byte limit."""

from engine.common.content_cache import ContentCache


def test_cached_results_are_limited_by_the_size_of_all_arguments():
    calls = []

    def decode(*content):
        calls.append(content)
        return len(calls)

    cache = ContentCache(decode, max_bytes=10)
    assert [cache("ab", b"c", (b"de", b"f")) for _ in range(2)] == [1, 1] and cache.n_bytes == 6
    assert cache(b"1234") == 2 and cache.n_bytes == 10
    assert cache("ab", b"c", (b"de", b"f")) == 1
    assert cache(b"5") == 3 and cache.n_bytes == 1  # the others are forgotten
    assert cache("ab", b"c", (b"de", b"f")) == 4
    assert [cache(bytes(11)) for _ in range(2)] == [5, 6] and cache.n_bytes <= 10
