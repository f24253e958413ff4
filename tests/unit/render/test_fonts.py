"""The cache of recently rendered texts."""

from engine.render.fonts import FontBook


def test_frequently_used_entries_stay_and_others_are_evicted():
    fonts = FontBook()
    caption, first = (fonts.render(words, 12.0, (255, 255, 255)) for words in ("caption", "number 0"))
    for k in range(3000):
        fonts.render(f"number {k}", 12.0, (255, 255, 255))
        assert fonts.render("caption", 12.0, (255, 255, 255)) is caption
    assert fonts.render("number 0", 12.0, (255, 255, 255)) is not first
