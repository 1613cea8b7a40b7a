import { toRpcFault } from '../../domain/agent-protocol/fault.ts';
import { PAYMENT_EXTENSION_URI } from '../../domain/agent-protocol/payment.ts';
import { toTask } from '../../domain/agent-protocol/task.ts';
import {
  A2A_METHODS,
  A2A_PATH,
  type A2aItem,
  type A2aMethod,
  type SendMessage,
} from '../../domain/agent-protocol/wire.ts';
import { type AppError, toAppError } from '../../domain/common/error.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import { readTraceparent, TRACEPARENT } from '../../domain/common/trace.ts';
import type { JobState } from '../../domain/job/job.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { networkOf } from '../http/address.ts';
import { compressReply } from '../http/compress-reply.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpExchange, HttpReply, HttpRequest } from '../http/host.ts';
import { rateReply } from '../mcp/call/rate-limiter.ts';
import { tooManyBytesReply } from '../mcp/json-bounds.ts';
import { errorJson, RPC, type RpcId, resultJson } from '../mcp/json-rpc.ts';
import { limitBodies } from '../mcp/limit-bodies.ts';
import type { AgentCore, Caller } from './agent-core.ts';
import { rateFault } from './call-skill.ts';
import { MessageSender, type Sent } from './message-sender.ts';
import { OpenTasks } from './open-tasks.ts';
import { isMethod, type RpcCall, readParams, readRpc, readVersion } from './read-rpc.ts';
import { TaskMethods } from './task-methods.ts';
import { readPayment, waitForJob } from './task-reader.ts';
import { TaskStream } from './task-stream.ts';

/** Longest wait of `SendMessage` for the end of a task, in milliseconds. */
export const SEND_WAIT_MS = 2 * MINUTE_MS;
/** Limits on open streams: per network, and in total. */
export const TASK_STREAMS_MAX = { network: 16, total: 1_024 } as const;

const STREAM_RETRY_S = 5;
const JSON_HEADERS = ['content-type', 'application/json', 'cache-control', 'no-store'];
const EXTENSION_HEADERS: readonly string[] = ['a2a-extensions', 'x-a2a-extensions'];

/** Creates the route of the agent-to-agent protocol, version 1.0, over JSON-RPC. */
export function agentRoute(core: AgentCore): FrontRoute {
  const endpoint = new AgentEndpoint(core);
  const bodyBytesMax = Math.min(core.limits.bodyBytesMax, core.limits.openBodyBytesMax);
  return {
    methods: ['POST'],
    path: A2A_PATH,
    access: 'open',
    bodyBytesMax,
    tooLarge: tooManyBytesReply(bodyBytesMax),
    handle: limitBodies(core, (exchange) => endpoint.handle(exchange)),
    end: () => endpoint.end(),
  };
}

class AgentEndpoint {
  readonly #core: AgentCore;
  readonly #sender: MessageSender;
  readonly #tasks: TaskMethods;
  readonly #streams = new Map<TaskStream, string>();

  constructor(core: AgentCore) {
    this.#core = core;
    const open = new OpenTasks();
    this.#sender = new MessageSender(core, open);
    this.#tasks = new TaskMethods(core, open, this.#sender);
  }

  async handle(exchange: HttpExchange): Promise<void> {
    const { request, body } = exchange;
    const call = readRpc(request, body);
    if (!('method' in call)) return exchange.reply(call);
    const limited = this.#core.gate.countRequest(this.#core.principalOf(request));
    if (limited !== undefined) return exchange.reply(rateReply(call.id, limited));
    try {
      await this.#answer(exchange, call);
    } catch (thrown) {
      exchange.reply(faultReply(call.id, toAppError(thrown), this.#headers(request)));
    }
  }

  /** Ends every stream when the server shuts down. Clients subscribe again. */
  end(): void {
    for (const stream of this.#streams.keys()) stream.end();
  }

  async #answer(exchange: HttpExchange, { id, method, params }: RpcCall): Promise<void> {
    const { request } = exchange;
    const { src } = readVersion(request);
    if (!isMethod(method)) {
      const message = `Method not found: ${method.slice(0, 80)}`;
      const allowed = Object.keys(A2A_METHODS);
      return exchange.reply(jsonReply(errorJson(id, RPC.METHOD_UNKNOWN, message, { allowed })));
    }
    const caller = this.#callerOf(exchange, src);
    if (method === 'SendStreamingMessage') {
      this.#checkStreams(caller.network);
      const sent = await this.#sender.send(readParams(method, params), caller);
      return this.#stream(exchange, id, { first: toItem(sent), job: jobOf(sent) });
    }
    if (method === 'SubscribeToTask') {
      this.#checkStreams(caller.network);
      const { task, job } = await this.#tasks.subscribe(readParams(method, params));
      return this.#stream(exchange, id, { first: { task }, job });
    }
    const result = await this.#call(method, params, caller);
    const reply = jsonReply(resultJson(id, JSON.stringify(result)), this.#headers(request));
    exchange.reply(await compressReply(reply, request));
    return undefined;
  }

  #call(method: PlainMethod, params: unknown, caller: Caller): Promise<unknown> {
    const tasks = this.#tasks;
    switch (method) {
      case 'SendMessage':
        return this.#send(readParams(method, params), caller);
      case 'GetTask':
        return tasks.get(readParams(method, params));
      case 'ListTasks':
        return tasks.list(readParams(method, params));
      case 'CancelTask':
        return tasks.cancel(readParams(method, params));
      case 'CreateTaskPushNotificationConfig':
        return tasks.createPush(readParams(method, params));
      case 'GetTaskPushNotificationConfig':
        return tasks.getPush(readParams(method, params));
      case 'ListTaskPushNotificationConfigs':
        return tasks.listPushes(readParams(method, params));
      case 'DeleteTaskPushNotificationConfig':
        return tasks.deletePush(readParams(method, params));
      case 'GetExtendedAgentCard':
        return tasks.extendedCard();
    }
  }

  async #send(params: SendMessage, caller: Caller): Promise<A2aItem> {
    const sent = await this.#sender.send(params, caller);
    const job = jobOf(sent);
    const { jobs } = this.#core.service;
    if (job === undefined || jobs === undefined || params.configuration.returnImmediately) {
      return toItem(sent);
    }
    const signal = AbortSignal.any([caller.signal, AbortSignal.timeout(SEND_WAIT_MS)]);
    const last = await waitForJob(jobs, job, signal);
    return { task: toTask(last, await readPayment(jobs, last.jobId)) };
  }

  #stream(
    exchange: HttpExchange,
    id: RpcId,
    subject: { readonly first: A2aItem; readonly job?: JobState | undefined },
  ): void {
    const { pulse, service } = this.#core;
    const { request } = exchange;
    const core = { jobs: service.jobs, pulse, headers: this.#headers(request) };
    const opened = TaskStream.open(core, { id, ...subject }, exchange, (stream) => {
      this.#streams.delete(stream);
    });
    if (opened !== undefined) this.#streams.set(opened, networkOf(request.remoteAddress));
  }

  #checkStreams(network: string): void {
    const own = [...this.#streams.values()].filter((each) => each === network).length;
    const { network: most, total } = TASK_STREAMS_MAX;
    if (own >= most || this.#streams.size >= total) throw rateFault(STREAM_RETRY_S);
  }

  #callerOf(exchange: HttpExchange, src: string | undefined): Caller {
    const { request } = exchange;
    const left = new AbortController();
    exchange.listenClose({ connectionClosed: () => left.abort() });
    const traceparent = readTraceparent(headerOf(request, TRACEPARENT), undefined);
    return {
      request,
      principal: this.#core.principalOf(request),
      network: networkOf(request.remoteAddress),
      ...(src === undefined ? {} : { src }),
      ...(traceparent === undefined ? {} : { traceparent }),
      signal: AbortSignal.any([left.signal, this.#core.ending]),
    };
  }

  /** Confirms the extension to clients that ask for it. */
  #headers({ headers }: HttpRequest): readonly string[] {
    const isAsked = headers.some(
      (value, at) =>
        at % 2 === 1 &&
        EXTENSION_HEADERS.includes(headers[at - 1] ?? '') &&
        value.split(',').some((each) => each.trim() === PAYMENT_EXTENSION_URI),
    );
    return isAsked ? ['a2a-extensions', PAYMENT_EXTENSION_URI] : [];
  }
}

type PlainMethod = Exclude<A2aMethod, 'SendStreamingMessage' | 'SubscribeToTask'>;

function toItem(sent: Sent): A2aItem {
  return 'message' in sent ? { message: sent.message } : { task: sent.task };
}

function jobOf(sent: Sent): JobState | undefined {
  return 'message' in sent ? undefined : sent.job;
}

function jsonReply(body: string, headers: readonly string[] = []): HttpReply {
  return { status: 200, headers: [...JSON_HEADERS, ...headers], body };
}

/** Faults travel in a reply with status 200, except those that any HTTP client must see. */
function faultReply(id: RpcId, error: AppError, headers: readonly string[]): HttpReply {
  const { code, message, data } = toRpcFault(error);
  const reply = jsonReply(errorJson(id, code, message, data), headers);
  const more = reply.headers ?? [];
  if (error.code === 'UNAUTHORIZED') {
    return { ...reply, status: 401, headers: [...more, 'www-authenticate', 'Bearer realm="stoa"'] };
  }
  if (error.code === 'RATE_LIMITED') {
    const wait = JSON.stringify(error.data['retry_after_s'] ?? 1);
    return { ...reply, status: 429, headers: [...more, 'retry-after', wait] };
  }
  return error.code === 'OVERLOADED' ? { ...reply, status: 503 } : reply;
}
