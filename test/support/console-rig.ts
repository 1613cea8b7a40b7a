import type { FrontOptions } from '../../src/transport/front/front.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { type FrontRig, startFront, TOKEN } from './front-rig.ts';
import { type InspectorDouble, inspectorDouble } from './inspector-double.ts';
import { openSocket, type SocketClient } from './socket-client.ts';

/** The key of cookies in tests. */
export const COOKIE_KEY = new Uint8Array(32).fill(7);

/** A front with a console. */
export interface ConsoleRig extends FrontRig {
  readonly inspector: InspectorDouble;
  /** Address of `/inspect`. */
  readonly inspectUrl: string;
  /** Makes a code and enters with it. @returns The cookie, as a browser sends it. */
  enter(): Promise<string>;
  /** Opens `/inspect` as the page does. */
  open(cookie?: string): Promise<InspectClientOfTest>;
}

/** A console of a test. */
export interface InspectClientOfTest extends SocketClient {
  send(message: unknown): void;
  /** Sends a message and waits for its answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  ask(message: { readonly id: number } & Readonly<Record<string, unknown>>): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: the same
  messages(): any[];
}

/** Starts a front with a console on a free port. The page is in `folder`, if anywhere. */
export async function startConsole(
  engine: HttpEngine,
  overrides: Partial<FrontOptions> = {},
  console: Partial<NonNullable<FrontOptions['console']>> = {},
): Promise<ConsoleRig> {
  const inspector = inspectorDouble();
  const rig = await startFront(engine, {
    inspector,
    console: { folder: '/nowhere', cookieKey: COOKIE_KEY, ...console },
    ...overrides,
  });
  const { baseUrl, port } = rig;
  const inspectUrl = `ws://127.0.0.1:${port}/inspect`;
  const enter = async (): Promise<string> => {
    const made = await fetch(`${baseUrl}/console/link`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const { url } = (await made.json()) as { url: string };
    const answer = await postPage(rig, '/console/enter', { code: url.split('#enter=')[1] });
    const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
    return cookie;
  };
  return {
    ...rig,
    inspector,
    inspectUrl,
    enter,
    open: async (cookie) => {
      const headers = { origin: baseUrl, cookie: cookie ?? (await enter()) };
      return asClient(await openSocket(inspectUrl, headers));
    },
  };
}

/** Posts JSON as a page of the server does. */
export function postPage(
  { baseUrl }: Pick<FrontRig, 'baseUrl'>,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { origin: baseUrl, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** A socket that speaks the words of `/inspect`. */
export function asClient(socket: SocketClient): InspectClientOfTest {
  const send = (message: unknown): void => {
    socket.raw.send(typeof message === 'string' ? message : JSON.stringify(message));
  };
  return {
    ...socket,
    send,
    messages: () => socket.texts.map((text) => JSON.parse(text)),
    ask: async (message) => {
      send(message);
      return JSON.parse(await socket.text((text) => text.startsWith(`{"id":${message.id},`)));
    },
  };
}
