"""The console as a person uses it: what they see, in words, and what they do."""

from playwright.async_api import ConsoleMessage, Error, Locator, Page, expect

from tests.browser.console.fake_console import ANA

PATIENCE_MS = 15_000.0
expect.set_options(timeout=PATIENCE_MS)

OUTSIDE = """() => [...document.querySelectorAll("#console *")]
    .filter((node) => !node.closest(".visually-hidden, .skip, thead, [popover]:not(:popover-open), svg"))
    .map((node) => [node, node.getBoundingClientRect()])
    .filter(([, box]) => box.width > 0 && (box.right > innerWidth + 1 || box.left < -1))
    .map(([node]) => `${node.tagName} ${node.className} ${node.textContent.slice(0, 30)}`)"""


class ConsolePage:
    """A tab with the console, and everything that the page complained about meanwhile."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url
        self.complaints: list[str] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", self._note)
        page.on("pageerror", self._note_error)

    def _note(self, message: ConsoleMessage) -> None:
        # Chromium reports each answer that is no success; those are what most of these tests are about.
        if message.type in {"error", "warning"} and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    def _note_error(self, error: Error) -> None:
        self.complaints.append(str(error))

    async def leave(self) -> None:
        """Close the page, and forget what the browser kept."""
        self.page.remove_listener("console", self._note)
        self.page.remove_listener("pageerror", self._note_error)
        await self.page.evaluate("() => localStorage.clear()")
        await self.page.context.clear_cookies()
        await self.page.context.clear_permissions()
        await self.page.emulate_media(color_scheme="light", forced_colors="none", reduced_motion="reduce")
        await self.page.goto("about:blank")

    async def open(self, address: str = "") -> None:
        """Load the page at an address below the console's own, such as "/people"."""
        await self.page.goto("about:blank")  # another fragment alone would not load it
        await self.page.goto(self.url + address)

    async def sign_in(self, login: str = ANA.login, password: str = ANA.password) -> None:
        """Fill the form and send it."""
        await self.field("Login").fill(login)
        await self.field("Password").fill(password)
        await self.field("Password").press("Enter")

    async def enter(self, address: str = "", login: str = ANA.login, password: str = ANA.password) -> None:
        """Load the page and sign in."""
        await self.open(address)
        await self.sign_in(login, password)
        await expect(self.page.locator(".shell")).to_be_visible()

    @property
    def heading(self) -> Locator:
        """The heading of the screen."""
        return self.page.get_by_role("heading", level=1)

    @property
    def dialog(self) -> Locator:
        """The dialog that is open."""
        return self.page.locator("dialog[open]")

    @property
    def places(self) -> Locator:
        """The links of the navigation."""
        return self.page.locator(".place")

    @property
    def toast(self) -> Locator:
        """The message in the corner."""
        return self.page.locator(".toast")

    @property
    def problem(self) -> Locator:
        """What went wrong, in words."""
        return self.page.get_by_role("alert")

    @property
    def status(self) -> Locator:
        """What a screen reader is told."""
        return self.page.get_by_role("status")

    def field(self, label: str) -> Locator:
        """The field with this label."""
        return self.page.get_by_label(label, exact=True)

    def button(self, name: str) -> Locator:
        """A button by its whole name."""
        return self.page.get_by_role("button", name=name, exact=True)

    def row(self, text: str) -> Locator:
        """A row of the table, with this text in it."""
        return self.page.get_by_role("row").filter(has_text=text)

    async def shows(self, heading: str) -> None:
        """This is the heading, it has the focus, and the title of the window begins with it."""
        await expect(self.heading).to_have_text(heading)
        await expect(self.heading).to_be_focused()
        assert (await self.page.title()).startswith(heading)

    async def at(self, address: str) -> None:
        """This is the address below the console's own."""
        await expect(self.page).to_have_url(self.url + address)

    async def outside(self) -> list[str]:
        """What reaches over the edge of the window."""
        return await self.page.evaluate(OUTSIDE)
