/** Number of events that the page shows. */
const EVENTS = 5;
const COPIED_MS = 2_000;

interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly { readonly part: string; readonly fault: string }[];
}

interface PublicEvent {
  readonly at: string;
  readonly type: string;
  readonly ref: string;
}

interface EventPage {
  readonly events: readonly PublicEvent[];
  readonly size: number;
}

for (const block of document.querySelectorAll<HTMLElement>('.copy')) addCopyButton(block);
void showStatus();
void showEvents();

function addCopyButton(block: HTMLElement): void {
  const code = block.querySelector('code');
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(code?.textContent ?? '').then(
      () => confirm(button, 'Copied'),
      () => confirm(button, 'Select and copy by hand'),
    );
  });
  block.append(button);
}

function confirm(button: HTMLButtonElement, text: string): void {
  button.textContent = text;
  setTimeout(() => {
    button.textContent = 'Copy';
  }, COPIED_MS);
}

async function showStatus(): Promise<void> {
  const line = document.querySelector('#status');
  if (line === null) return;
  const state = await fetch('/readyz').then(
    (reply) => reply.json() as Promise<Readiness>,
    () => undefined,
  );
  const faults = state?.reasons.map(({ part, fault }) => `${part}: ${fault}`).join('; ');
  const isReady = state?.ready === true;
  line.className = isReady ? 'is-good' : 'is-bad';
  line.textContent = isReady ? 'Ready' : `Not ready. ${faults ?? 'The server does not answer.'}`;
}

async function showEvents(): Promise<void> {
  const list = document.querySelector('#events');
  if (list === null) return;
  const { size } = await readEvents('limit=1');
  const { events } = await readEvents(`from=${Math.max(0, size - EVENTS)}`);
  if (events.length === 0) return;
  list.replaceChildren(...[...events].reverse().map(toItem));
}

async function readEvents(query: string): Promise<EventPage> {
  const reply = await fetch(`/v1/events?${query}`);
  return (await reply.json()) as EventPage;
}

function toItem({ at, type, ref }: PublicEvent): HTMLElement {
  const item = document.createElement('li');
  const text = `${new Date(at).toLocaleString()}: ${type.replace('.', ' ')} `;
  const isSettlement = ref.startsWith('set_');
  const name = document.createElement(isSettlement ? 'a' : 'code');
  name.textContent = ref.slice(0, 20);
  if (name instanceof HTMLAnchorElement) name.href = `/v1/proofs/settlement/${ref}`;
  item.append(text, name);
  return item;
}
