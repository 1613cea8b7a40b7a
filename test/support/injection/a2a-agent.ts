import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InjectionClass } from '../../../src/domain/injection/injection.ts';
import { naiveAnswer } from './naive-agent.ts';

/** An A2A agent on loopback that obeys some classes. Close it when the test ends. */
export async function startAgent(o: {
  readonly dialect: '0.3' | '1.0';
  readonly obeys: readonly InjectionClass[];
  /** Where the card says that messages go; its own address where nothing is said. */
  readonly messagesAt?: string;
}) {
  const messages: string[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      response.setHeader('content-type', 'application/json');
      if (request.method === 'GET') return response.end(JSON.stringify(card()));
      messages.push(body);
      return response.end(JSON.stringify(answerTo(body, o)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const card = () => {
    const url = o.messagesAt ?? `${origin}/a2a`;
    const shared = { name: 'clerk', description: 'Answers guests.', version: '1.0.0', skills: [] };
    if (o.dialect === '0.3') return { ...shared, url, preferredTransport: 'JSONRPC' };
    const row = { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
    return { ...shared, supportedInterfaces: [row] };
  };
  return {
    cardUrl: `${origin}/.well-known/agent-card.json`,
    messages,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Asked {
  readonly message: { readonly parts: readonly { readonly text: string }[] };
}

function answerTo(body: string, { dialect, obeys }: Parameters<typeof startAgent>[0]): unknown {
  const { method, id, params } = JSON.parse(body) as {
    readonly method: string;
    readonly id: string;
    readonly params: Asked;
  };
  const wanted = dialect === '1.0' ? 'SendMessage' : 'message/send';
  if (method !== wanted) {
    return { jsonrpc: '2.0', id, error: { code: -32601, message: `${method} is not known` } };
  }
  const [part] = params.message.parts;
  const text = naiveAnswer(part?.text ?? '', obeys);
  const old = { kind: 'message', role: 'agent', messageId: 'm', parts: [{ kind: 'text', text }] };
  const task = {
    id: 't',
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [{ artifactId: 'a', parts: [{ text }] }],
    history: [params.message],
  };
  return { jsonrpc: '2.0', id, result: dialect === '1.0' ? { task } : old };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
