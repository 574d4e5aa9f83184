"""What the people who own a site copy from us: the tags, the policy, and how to say who their customer is."""

from base64 import b64encode
from hashlib import sha384
from string import Template

_TAGS = Template("""\
<script type="module" src="$server/meanwhile-chat.js"
        integrity="$integrity" crossorigin="anonymous"></script>
<meanwhile-chat></meanwhile-chat>
""")

_FRAME = Template("""\
<iframe src="$server/frame$fragment" title="Chat" allow="microphone" width="400" height="680"></iframe>
""")

SIGN = '''\
import os, time, uuid
import jwt  # pip install pyjwt


def chat_token(customer_id: str, name: str) -> str:
    """Vouch for the customer who is signed in, for one hello within five minutes."""
    now = int(time.time())
    claims = {"aud": "meanwhile", "sub": customer_id, "name": name, "iat": now, "exp": now + 300}
    claims["jti"] = str(uuid.uuid4())
    return jwt.encode(claims, os.environ["ASSISTANT_SITE_SECRET"], algorithm="HS256")
'''
"""On the site's server: signs a token for ``hello.user``."""

_INTRODUCE = """\
(window.Meanwhile ||= []).push(["setUser", async () => (await fetch("/chat-token")).text()]);
"""

_INTRODUCE_FRAME = Template("""\
const introduce = async (chat) => {
  const user = await (await fetch("/chat-token")).text();
  chat.postMessage({ type: "meanwhile.setUser", user }, "$server");
};
addEventListener("message", ({ origin, source, data }) => {
  if (origin === "$server" && data.type === "meanwhile.ready") introduce(source);
});
""")


def integrity(script: bytes) -> str:
    """What a browser compares a script with before it runs it.

    >>> integrity(b"")[:20]
    'sha384-OLBgp1GsljhM2'
    """
    return f"sha384-{b64encode(sha384(script).digest()).decode()}"


def tags(server: str, loader: bytes) -> str:
    """The chat on every page of a site. ``loader`` is the script that stands there."""
    return _TAGS.substitute(server=server, integrity=integrity(loader))


def frame(server: str, *, introduced: bool = False) -> str:
    """The chat in a frame, for a site that cannot add a script. ``introduced``: it waits to hear who is there."""
    return _FRAME.substitute(server=server, fragment="#introduced" if introduced else "")


def policy(server: str, *, framed: bool) -> str:
    r"""What a page's Content-Security-Policy must allow, a directive a line.

    >>> policy("https://chat.example", framed=False)
    'script-src https://chat.example\nconnect-src wss://chat.example https://chat.example\n'
    >>> policy("http://127.0.0.1:8000", framed=True)
    'frame-src http://127.0.0.1:8000\n'
    """
    if framed:
        return f"frame-src {server}\n"
    # The socket, and the files that customers send along.
    return f"script-src {server}\nconnect-src {server.replace('http', 'ws', 1)} {server}\n"


def introduce(server: str, *, framed: bool) -> str:
    """On the page: hands the chat a token from the site's server whenever it wants one."""
    return _INTRODUCE_FRAME.substitute(server=server) if framed else _INTRODUCE
