import { expect, test } from 'vitest';
import type { CallTracing } from '../../../src/domain/common/call-tracing.ts';
import type { ToolCall, ToolOutcome, ToolService } from '../../../src/domain/tool/tool.ts';
import { interceptCalls, traceCalls } from '../../../src/tools/service/intercept-calls.ts';

const DONE: ToolOutcome = { kind: 'result', result: { content: [] } };
const FAILED: ToolOutcome = { kind: 'result', result: { content: [], isError: true } };

/** A service that does `call`, traced, and what its spans were told. */
function rig(call: ToolService['call']) {
  const told: unknown[] = [];
  const tracing: CallTracing = {
    startCall: (begun) => {
      told.push(begun);
      return { trace: 'the trace', end: (...end) => told.push(end) };
    },
  };
  const service = {
    server: 'commerce',
    tools: [{ name: 'known' }],
    call,
  } as unknown as ToolService;
  return { told, traced: interceptCalls(service, [traceCalls(tracing)]) };
}

/** A call that lives: its own members are read when they are asked for. */
class LiveCall implements ToolCall {
  readonly name: string;
  readonly arguments = {};
  readonly payments = [];
  readonly resourceUrl = 'mcp://tool/known';
  readonly principal = { kind: 'local', id: 'x' } as const;
  readonly traceparent = 'the caller';
  readonly asTask = true;
  steps = 0;
  readonly #gone = new AbortController();

  constructor(name: string) {
    this.name = name;
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  leave(): void {
    this.#gone.abort();
  }

  onProgress(): void {
    this.steps += 1;
  }
}

test('a call gets the trace of its span, and stays the live one that it is', async () => {
  const call = new LiveCall('known');
  const { told, traced } = rig(async (asked) => {
    expect(asked).toMatchObject({ name: 'known', trace: 'the trace', asTask: true });
    asked.onProgress?.({ progress: 1, message: 'on' });
    expect(asked.signal.aborted).toBe(false);
    call.leave();
    expect(asked.signal.aborted).toBe(true);
    return DONE;
  });
  expect(await traced.call(call)).toBe(DONE);
  expect(call.steps).toBe(1);
  expect(told).toEqual([
    { server: 'commerce', tool: 'known', traceparent: 'the caller' },
    ['answered'],
  ]);
});

test('a span says how a call ended, and never a name that a caller made up', async () => {
  const failed = rig(async () => FAILED);
  await failed.traced.call(new LiveCall('known'));
  expect(failed.told[1]).toEqual(['tool_error']);

  const unknown = rig(async ({ name }) => ({ kind: 'unknown_tool', name }));
  await unknown.traced.call(new LiveCall('0xsecret'));
  expect(unknown.told).toEqual([
    { server: 'commerce', tool: undefined, traceparent: 'the caller' },
    ['unknown_tool'],
  ]);

  const broken = rig(() => Promise.reject(new TypeError('with a secret')));
  await expect(broken.traced.call(new LiveCall('known'))).rejects.toThrow('with a secret');
  expect(broken.told[1]).toEqual(['failed', 'INTERNAL']);
});
