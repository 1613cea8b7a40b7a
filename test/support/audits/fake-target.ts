import type {
  AuditTarget,
  AuditTargets,
  OpenTarget,
  RpcOutcome,
  TargetConnection,
} from '../../../src/domain/audit/audit-target.ts';
import { CONSENT_PATH, REGISTRATION_PATH } from '../../../src/domain/audit/consent.ts';
import type { TargetAddress } from '../../../src/domain/audit/records.ts';
import { AppError } from '../../../src/domain/common/error.ts';

/** A target in memory, whose behaviour the test changes as it goes. */
export interface FakeTarget {
  readonly targets: AuditTargets;
  tools: { name: string; description: string; inputSchema?: object }[];
  /** Answers calls of its tools, where it is there. */
  answers: ((values: Readonly<Record<string, unknown>>) => string) | undefined;
  isDown: boolean;
  /** Answers nothing any more: whoever asks waits until it is stopped. */
  hangs: boolean;
  /** Each request waits for it. */
  gate: Promise<void> | undefined;
  /** What stands under the address of the proof of control. */
  served: string | undefined;
  /** The registration file of its origin. */
  registration: string | undefined;
  /** Requests over all openings. */
  requests: number;
  /** Openings that were not closed. */
  open: number;
  /** Called before each request. */
  onRequest: (method: string) => void;
}

const GREETING = {
  protocolVersion: '2025-11-25',
  serverInfo: { name: 'fake', version: '1.0.0' },
  capabilities: { tools: {} },
  instructions: null,
} as const;

/** Makes a target at `https://target.example/mcp`, and a program named `mine`. */
export function fakeTarget(): FakeTarget {
  const fake: FakeTarget = {
    tools: [
      { name: 'read_note', description: 'Reads a note.' },
      { name: 'run_anything', description: 'Runs a text.' },
    ],
    answers: undefined,
    isDown: false,
    hangs: false,
    gate: undefined,
    served: undefined,
    registration: undefined,
    requests: 0,
    open: 0,
    onRequest: () => undefined,
    targets: {
      open: async (address, how) => openFake(fake, address, how),
      requireOpenable: (address) => {
        if (address.kind !== 'mcp_stdio' || address.name === 'mine') return;
        throw new AppError('AUDIT_TARGET_UNKNOWN', {
          data: { received: address.name, allowed: ['mine'] },
        });
      },
      listen: async () => undefined,
    },
  };
  return fake;
}

function openFake(fake: FakeTarget, address: TargetAddress, how: OpenTarget): AuditTarget {
  let requests = 0;
  let isOpen = true;
  fake.open += 1;
  const count = async (method: string): Promise<void> => {
    if (!isOpen || how.signal?.aborted === true) throw new AppError('AUDIT_STOPPED');
    if (requests >= how.limits.requestsMax) throw new AppError('AUDIT_BUDGET');
    requests += 1;
    fake.requests += 1;
    fake.onRequest(method);
    await fake.gate;
    if (fake.hangs) await untilAborted(how.signal);
    if (fake.isDown) throw new AppError('AUDIT_TARGET_DOWN', { message: 'It does not answer.' });
  };
  return {
    address,
    origin: address.kind === 'mcp_stdio' ? `stdio:${address.name}` : new URL(address.url).origin,
    pinnedAddress: address.kind === 'mcp_stdio' ? null : '192.0.2.7',
    connect: async () => {
      await count('initialize');
      return connection(fake, count);
    },
    exchange:
      address.kind === 'mcp_stdio'
        ? undefined
        : async ({ path = '', method }) => {
            await count(path);
            const files: Readonly<Record<string, string | undefined>> = {
              [CONSENT_PATH]: fake.served,
              [REGISTRATION_PATH]: fake.registration,
            };
            const body = files[path];
            return {
              kind: 'answer',
              ms: 1,
              sent: `${method} ${path}`,
              headers: {},
              isCut: false,
              status: body === undefined ? 404 : 200,
              body: body ?? '',
            };
          },
    hasCredentials: false,
    spent: () => ({ requests, bytes: 0, ms: 0 }),
    close: async () => {
      if (isOpen) fake.open -= 1;
      isOpen = false;
    },
  };
}

function connection(fake: FakeTarget, count: (method: string) => Promise<void>): TargetConnection {
  return {
    sessionId: null,
    greeting: GREETING,
    request: async (method, params): Promise<RpcOutcome> => {
      await count(method);
      const shared = { ms: 1, raw: '', sent: method };
      if (method === 'tools/call' && fake.answers !== undefined) {
        const { arguments: values } = params as { arguments: Readonly<Record<string, unknown>> };
        const content = [{ type: 'text', text: fake.answers(values) }];
        return { ...shared, sent: JSON.stringify(params), kind: 'result', result: { content } };
      }
      if (method !== 'tools/list') {
        return { ...shared, kind: 'error', code: -32601, message: 'no such method' };
      }
      return { ...shared, kind: 'result', result: { tools: structuredClone(fake.tools) } };
    },
    notify: () => count('notify'),
    unsolicitedMessages: () => [],
    close: async () => undefined,
  };
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new AppError('AUDIT_STOPPED'));
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
}
