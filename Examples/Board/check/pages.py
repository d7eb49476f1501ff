"""A board's page in a headless browser: reads what it shows, counts the nodes that change, and edits by
the page's own functions or by real clicks and keys."""

from boardserver import wait_until
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.service import Service

# Installed in the page as `check`. `touched` has each node that was added, removed or changed, once.
CHECK = """
const text = (selector, node) => node.querySelector(selector).textContent;
const sums = node => Object.fromEntries(['count', 'estimate', 'done'].map(
  key => [key, Number(text(`[data-total=${key}]`, node))]));
const all = (selector, node = document) => [...node.querySelectorAll(selector)];
window.check = {
  touched: new Set(), last: 0,
  note(records) {
    if (records.length) check.last = performance.now();
    for (const record of records) {
      if (record.type !== 'childList') check.touched.add(record.target);
      for (const node of [...record.addedNodes, ...record.removedNodes]) check.touched.add(node);
    }
  },
  read() {
    const columns = {};
    for (const section of all('[data-column]')) {
      columns[section.dataset.column] = {
        total: Number(text('[data-total=found]', section)), sums: sums(section),
        cards: all('.card', section).map(node => ({
          id: node.dataset.id, title: text('[data-field=title]', node),
          assignee: text('[data-field=assignee]', node), column: section.dataset.column,
          estimate: Number(text('[data-field=estimate]', node)),
          isDone: node.querySelector('.done').checked })) };
    }
    return { columns, board: sums(document.querySelector('#bar')),
      people: all('#people li').map(node => node.textContent) };
  },
  async edit(kind, number, other, title) {
    const cards = all('.card[data-id]:not([hidden])'), columns = all('[data-column]');
    const node = cards[number % cards.length], { id } = node.dataset;
    const column = columns[other % columns.length].dataset.column;
    const near = all('.card[data-id]', columns[other % columns.length])[number % 40]?.dataset.id;
    const { add, change, move, remove, revise } = await import('/board.js');
    const answer = await {
      title: () => change(id, { title }),
      assignee: () => change(id, { assignee: ['Ada', 'Grace', 'Linus', 'Katherine'][other % 4] }),
      estimate: () => change(id, { estimate: other % 14 }),
      done: () => change(id, { isDone: !node.querySelector('.done').checked }),
      move: () => move(id, column, near === id ? undefined : near),
      add: () => add(column, title).then(() => true), remove: () => remove(id),
      undo: () => revise('undo').then(() => true), redo: () => revise('redo').then(() => true),
    }[kind]();
    return Boolean(answer);
  },
  // Waits until nothing has changed for a while; returns how many nodes have changed since the last time.
  async quiet(milliseconds) {
    const end = performance.now() + 3000;
    for (;;) {
      check.note(observer.takeRecords());
      const rest = check.last + milliseconds - performance.now();
      const isQuiet = rest <= 0 && !document.querySelector('#board .pending');
      if (isQuiet || performance.now() > end) break;
      await new Promise(resolve => setTimeout(resolve, Math.max(rest, 5)));
    }
    const { size } = check.touched;
    check.touched.clear();
    return size;
  },
};
const observer = new MutationObserver(records => check.note(records));
for (const root of ['#bar', '#board']) {
  observer.observe(document.querySelector(root),
    { subtree: true, childList: true, characterData: true, attributes: true });
}
"""

ASYNC = """
const done = arguments[arguments.length - 1];
(async (...values) => { %s })(...arguments).then(value => done([true, value]),
  error => done([false, String(error)]));
"""


def open_browser(is_dark=False):
    """A headless Chromium with a profile of its own."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_page_load_timeout(30)
    driver.set_script_timeout(60)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    return driver


class Page:
    """The board of one person, in a browser that the caller quits."""

    def __init__(self, driver, url, person):
        self.driver, self.person = driver, person
        self.address = f"{url}?person={person}"
        self.resize(1280, 800)
        self.load()

    def load(self):
        """Loads the page, and returns when it has cards."""
        self.driver.get(self.address)
        wait_until(lambda: self.client and self.text(".card"), 15)
        self.driver.execute_script(CHECK)

    def resize(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    # Reading

    @property
    def client(self):
        return self.driver.execute_script("return document.body.dataset.client")

    def read(self):
        return self.driver.execute_script("return check.read()")

    def text(self, selector):
        return self.driver.execute_script(
            "return document.querySelector(arguments[0])?.textContent", selector)

    @property
    def columns(self):
        """The names of the columns, from left to right."""
        return self.driver.execute_script(
            "return [...document.querySelectorAll('[data-column]')].map(node => node.dataset.column)")

    def first(self, column):
        """The first card of a column."""
        return self.read()["columns"][column]["cards"][0]

    def errors(self):
        """What the console says; answers that refuse an edit are no errors."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and entry["source"] != "network"]

    # Editing by the functions of the page

    def run(self, script, *values):
        is_good, value = self.driver.execute_async_script(ASYNC % script, *values)
        if not is_good:
            raise AssertionError(f"{self.person}'s page: {value}")
        return value

    def edit(self, *values):
        """Makes an edit; whether it was accepted, of those kinds that answer."""
        return self.run("return await check.edit(...values)", *values)

    def begin_edits(self, edits):
        """Begins many edits at once, and returns before they are answered."""
        self.driver.execute_script(
            "check.storm = Promise.all(arguments[0].map(values => check.edit(...values)))", edits)

    def end_edits(self):
        return self.run("return await check.storm")

    def quiet(self, milliseconds=30):
        return self.run("return await check.quiet(values[0])", milliseconds)

    # Editing by hand

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def part(self, card, selector):
        return self.find(f'.card[data-id="{card}"] {selector}')

    def type_into(self, card, field, text):
        """Clicks a field of a card, and types over what it shows."""
        self.part(card, f"[data-field={field}]").click()
        self.keys(text, Keys.ENTER)

    def press(self, card, selector):
        part = self.part(card, selector)
        ActionChains(self.driver).move_to_element(part).click().perform()

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def chord(self, card, key, *held):
        """Presses a key while a card has the focus, or the page if `card` is none."""
        self.driver.execute_script(
            "arguments[0] ? arguments[0].focus() : document.activeElement.blur()",
            card and self.part(card, "[data-field=title]"))
        chain = ActionChains(self.driver)
        for modifier in held:
            chain.key_down(modifier)
        chain.send_keys(key)
        for modifier in held:
            chain.key_up(modifier)
        chain.perform()

    def drag(self, card, target):
        """Drags a card onto the upper half of another one."""
        source, aim = (self.find(f'.card[data-id="{id}"]') for id in (card, target))
        chain = ActionChains(self.driver).click_and_hold(source).move_by_offset(5, 5)
        chain.move_to_element_with_offset(aim, 0, -aim.size["height"] // 2 + 3)
        # The first move enters the card; a second one is over it.
        chain.move_by_offset(0, 1).release().perform()

    def replace(self, selector, text):
        """Types into a field of a form, over what it has."""
        field = self.find(selector)
        field.click()
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text or Keys.DELETE)
