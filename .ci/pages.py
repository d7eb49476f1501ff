"""Opens each page of the documentation in a browser, and reports dead links and empty pages."""

import base64
import functools
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import websocket  # python3-websocket

# What a page shows, once it does: DocC draws it after it has loaded, from the page's data.
LOOK = """
(() => {
  const text = element => element ? element.innerText.trim() : '';
  const title = document.querySelector('main h1, .main h1, #main h1');
  const notFound = document.querySelector('.not-found');
  if (!notFound && (!title || !text(title))) return null;
  return {
    notFound: !!notFound,
    title: text(title),
    abstract: text(document.querySelector('.abstract')),
    declaration: text(document.querySelector('.declaration-container, .declarations')),
    contentLength: text(document.querySelector('.primary-content')).length,
    topicCount: document.querySelectorAll('.topic, .contenttable a').length,
    ids: [...document.querySelectorAll('[id]')].map(element => element.id),
    links: [...document.querySelectorAll('a[href]')].map(a => a.href),
    deadImages: [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src),
  };
})()
"""

# Asked for by DocC's renderer, which does without it.
OPTIONAL = "/theme-settings.json"


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class Browser:
    """A page of a headless Chromium, by the DevTools protocol."""

    def __init__(self, profile):
        self.process = subprocess.Popen(
            [
                "chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
                "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                "--window-size=1400,1000", "--remote-debugging-port=0",
                "--remote-allow-origins=*", f"--user-data-dir={profile}", "about:blank",
            ],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        self.events = []
        self.number = 0
        port_file = pathlib.Path(profile, "DevToolsActivePort")
        for _ in range(600):
            if port_file.exists() and len(port_file.read_text().splitlines()) == 2:
                break
            time.sleep(0.1)
        else:
            raise SystemExit("pages: chromium does not start")
        port, path = port_file.read_text().splitlines()
        self.socket = websocket.create_connection(f"ws://127.0.0.1:{port}{path}", timeout=60)
        self.session = None
        target = next(
            target for target in self.ask("Target.getTargets")["targetInfos"] if target["type"] == "page")
        self.session = self.ask(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Network"]:
            self.ask(f"{domain}.enable")

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise SystemExit(f"pages: {method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def look(self, url):
        """What the page at `url` shows, and what went wrong meanwhile; nothing if it stays empty."""
        self.events.clear()
        # Away first, so that nothing of the page before is taken for this one.
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=url)
        page = None
        for _ in range(200):
            page = self.ask("Runtime.evaluate", expression=LOOK, returnByValue=True)["result"].get("value")
            if page:
                break
            time.sleep(0.05)
        return page, [problem for event in self.events if (problem := self.problem(event))]

    @staticmethod
    def problem(event):
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            return "script: " + parameters["exceptionDetails"]["text"]
        if event.get("method") == "Network.responseReceived":
            response = parameters["response"]
            if response["status"] >= 400 and not response["url"].endswith(OPTIONAL):
                return f"status {response['status']}: {response['url']}"
        return None

    def picture(self, file):
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        # The sidebar is as tall as the window, and opens in an animation.
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=1400, height=min(size["height"], 4000),
            deviceScaleFactor=1, mobile=False)
        time.sleep(2)
        picture = self.ask("Page.captureScreenshot")
        self.ask("Emulation.clearDeviceMetricsOverride")
        pathlib.Path(file).write_bytes(base64.b64decode(picture["data"]))

    def end(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()


def address(path):
    """The path of a page as it is compared: decoded, and without a slash at its end."""
    return urllib.parse.unquote(path).rstrip("/").lower()


def navigator_paths(items):
    for item in items:
        if "path" in item:
            yield item["path"]
        yield from navigator_paths(item.get("children", []))


def is_empty(page, kind):
    """Whether a reader who comes to the page learns nothing from it."""
    if kind == "symbol":
        return not page["abstract"]
    return not (page["abstract"] or page["contentLength"] or page["topicCount"])


def dead_links(pages, origin):
    """The links that lead nowhere, as the page, the link and why."""
    for path, page in pages.items():
        for link in sorted(set(page["links"])):
            if not link.startswith(origin):
                if not link.startswith(("https://", "mailto:")):
                    yield f"{path}: {link}: neither here nor https"
                continue
            parts = urllib.parse.urlsplit(link)
            target = pages.get(address(parts.path))
            if target is None:
                yield f"{path}: {link}: no such page"
            elif parts.fragment and urllib.parse.unquote(parts.fragment) not in target["ids"]:
                yield f"{path}: {link}: no such place on the page"


def main(archive, pictures):
    archive = pathlib.Path(archive)
    kinds = {
        "/" + str(file.relative_to(archive / "data").with_suffix("")): json.loads(file.read_text())["kind"]
        for file in sorted(archive.glob("data/**/*.json"))
    }
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(QuietHandler, directory=archive))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"

    problems, pages = [], {}
    # Processes of the browser that end after it may write there meanwhile.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            for path, kind in kinds.items():
                page, troubles = browser.look(origin + urllib.parse.quote(path) + "/")
                problems += [f"{path}: {trouble}" for trouble in troubles]
                if page is None or page["notFound"]:
                    problems.append(f"{path}: shows nothing")
                    continue
                pages[address(path)] = page
                if is_empty(page, kind):
                    problems.append(f"{path}: empty")
                problems += [f"{path}: {image}: no picture" for image in page["deadImages"]]
                if (name := path.removeprefix("/documentation/")) in pictures:
                    browser.picture(pictures[name])
        finally:
            browser.end()

    problems += dead_links(pages, origin)
    index = json.loads((archive / "index/index.json").read_text())
    for language in index["interfaceLanguages"].values():
        problems += [
            f"navigator: {path}: no such page"
            for path in navigator_paths(language) if address(path) not in pages
        ]
    outside = {link for page in pages.values() for link in page["links"] if not link.startswith(origin)}
    for problem in problems:
        print(f"pages: {problem}")
    links = sum(len(set(page["links"])) for page in pages.values())
    print(
        f"pages: {len(pages)} of {len(kinds)} opened, {links} links,"
        f" {len(outside)} addresses elsewhere, which are not opened, {len(problems)} problems")
    return 1 if problems or not pages else 0


if __name__ == "__main__":
    # NAME=FILE takes a picture of a page.
    sys.exit(main(sys.argv[1], dict(argument.split("=", 1) for argument in sys.argv[2:])))
