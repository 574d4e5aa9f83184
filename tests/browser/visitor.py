"""A customer in front of the page: what they see, as text, and what they do."""

import asyncio
import re

from playwright.async_api import ConsoleMessage, Error, Locator, Page, expect

PATIENCE_MS = 15_000.0
expect.set_options(timeout=PATIENCE_MS)


class Visitor:
    """A visitor of the shop's page, and the errors that the page reported meanwhile."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.complaints: list[str] = []
        self._url = url
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", self._note)
        page.on("pageerror", self._note_error)

    def _note(self, message: ConsoleMessage) -> None:
        # On a busy machine Chromium loads the icon of the page before when this page, and its policy, is there.
        late_icon = "Loading the image" in message.text and "/icon.svg' violates" in message.text
        if message.type in {"error", "warning"} and not late_icon:
            self.complaints.append(message.text)

    def _note_error(self, error: Error) -> None:
        self.complaints.append(str(error))

    async def leaves(self) -> None:
        """Close the page, and forget what it kept."""
        self.page.remove_listener("console", self._note)
        self.page.remove_listener("pageerror", self._note_error)
        if self.page.url.startswith("http"):
            await self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        await self.page.goto("about:blank")

    def forgive(self, words: str) -> None:
        """Forget the complaints with these words in them; the browser makes some of its own."""
        self.complaints = [complaint for complaint in self.complaints if words not in complaint]

    @property
    def launcher(self) -> Locator:
        """The round button at the corner."""
        return self.page.locator("meanwhile-chat .launcher")

    @property
    def panel(self) -> Locator:
        """The chat."""
        return self.page.get_by_role("dialog")

    @property
    def log(self) -> Locator:
        """The conversation."""
        return self.page.get_by_role("log")

    @property
    def field(self) -> Locator:
        """Where messages are written."""
        return self.page.get_by_role("textbox", name="Your message")

    @property
    def status(self) -> Locator:
        """What a screen reader is told."""
        return self.page.get_by_role("status")

    @property
    def chips(self) -> Locator:
        """What is being looked up, or was."""
        return self.log.get_by_role("listitem")

    def button(self, name: str) -> Locator:
        """A button of the page or the chat, by its whole name."""
        return self.page.get_by_role("button", name=name, exact=True)

    def message(self, text: str) -> Locator:
        """The message that says exactly this."""
        return self.log.locator("article").filter(has_text=re.compile(rf":\s*{re.escape(text)}"))

    async def visits(self) -> None:
        """Load the page."""
        await self.page.goto(self._url)

    async def opens_chat(self) -> None:
        """Load the page and open the chat with the launcher, where it is not open by itself."""
        await self.visits()
        if await self.launcher.get_attribute("aria-expanded") == "false":
            await self.launcher.click()

    async def tells(self, *call: str | None) -> None:
        """Have the page call a method of ``window.Meanwhile``: its name, then what it is given."""
        await self.page.evaluate("([name, ...given]) => Meanwhile[name](...given)", list(call))

    async def says(self, text: str) -> None:
        """Write a message and send it with Enter."""
        await self.field.fill(text)
        await self.field.press("Enter")

    async def sees(self, *said: str) -> None:
        """Exactly these messages stand in the log, each as "who: text"."""
        await expect(self.log.locator("article")).to_have_text(list(said))

    async def focused(self) -> str:
        """The accessible name, or the text, of what has the focus."""
        return str(
            await self.page.evaluate(
                """() => {
                    let at = document.activeElement;
                    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
                    return at?.getAttribute("aria-label") || at?.textContent?.trim().slice(0, 60) || "";
                }"""
            )
        )

    async def has_focus_on(self, name: str) -> None:
        """What has the focus has this accessible name or text, now or soon."""
        for _ in range(int(PATIENCE_MS / 50)):
            if await self.focused() == name:
                return
            await asyncio.sleep(0.05)
        assert await self.focused() == name
