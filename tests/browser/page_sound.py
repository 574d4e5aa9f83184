"""Records the sound of a page's loudspeakers, and has a microphone that plays a given sound."""

import base64
from typing import Any

from playwright.async_api import Page

from assistant.speech_ports import HEARD_RATE, Pcm

RECORDED = """() => {
    const connect = AudioNode.prototype.connect;
    const tapes = new Map();
    AudioNode.prototype.connect = function (to, ...rest) {
        if (to instanceof AudioDestinationNode && this.context instanceof AudioContext) {
            if (!tapes.has(this.context)) tapes.set(this.context, taped(this.context));
            connect.call(this, tapes.get(this.context).goal);
        }
        return connect.call(this, to, ...rest);
    };
    function taped(context) {
        const goal = context.createMediaStreamDestination();
        const recorder = new MediaRecorder(goal.stream);
        const pieces = [];
        recorder.ondataavailable = ({ data }) => pieces.push(data);
        recorder.start();
        return { goal, recorder, pieces };
    }
    window.heardAt = async rate => {
        const [tape] = tapes.values();
        const stopped = new Promise(done => { tape.recorder.onstop = done; });
        tape.recorder.stop();
        await stopped;
        const file = await new Blob(tape.pieces).arrayBuffer();
        const sound = await new OfflineAudioContext(1, 1, rate).decodeAudioData(file);
        const samples = sound.getChannelData(0).map(sample => Math.max(-1, Math.min(1, sample)) * 32767);
        const bytes = new Uint8Array(Int16Array.from(samples).buffer);
        let text = "";
        for (let at = 0; at < bytes.length; at += 8192)
            text += String.fromCharCode(...bytes.subarray(at, at + 8192));
        return btoa(text);
    };
}"""
"""Everything that is connected to a loudspeaker is connected to a tape, too."""

TOLD = """rate => {
    const context = new AudioContext();
    const goal = context.createMediaStreamDestination();
    navigator.mediaDevices.getUserMedia = async () => goal.stream;
    window.hears = text => {
        const bytes = Uint8Array.from(atob(text), sign => sign.charCodeAt(0));
        const samples = Float32Array.from(new Int16Array(bytes.buffer), sample => sample / 32768);
        const sound = context.createBuffer(1, samples.length, rate);
        sound.copyToChannel(samples, 0);
        const node = context.createBufferSource();
        node.buffer = sound;
        node.connect(goal);
        node.start();
    };
}"""
"""A microphone that hears what it is told to, when it is told to."""


async def record(page: Page) -> None:
    """From the next page on, keep what its loudspeakers play."""
    await page.add_init_script(f"({RECORDED})()")


async def recorded(page: Page) -> Pcm:
    """All that was played since the microphone was switched on, at 16 kHz; the tape is over then."""
    told: Any = await page.evaluate("rate => heardAt(rate)", HEARD_RATE)
    return base64.b64decode(told)


async def lend_microphone(page: Page) -> None:
    """From the next page on, its microphone hears nothing but what it is told."""
    await page.add_init_script(f"({TOLD})({HEARD_RATE})")


async def hears(page: Page, sound: Pcm) -> None:
    """The customer says this now, at 16 kHz."""
    await page.evaluate("text => hears(text)", base64.b64encode(sound).decode())
