import { z } from 'zod';
import type { JsonObject } from '../common/json.ts';

/** The version of the agent-to-agent protocol (A2A) that is served. */
export const A2A_VERSION = '1.0';
/** The path of the JSON-RPC interface. */
export const A2A_PATH = '/a2a';
/** Longest task id that is accepted, in characters. */
const ID_CHARS_MAX = 200;
/** Most parts of one message. */
const PARTS_MAX = 20;
const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain';
/** The media types that skills take and return. */
export const A2A_MODES = [JSON_TYPE, TEXT_TYPE] as const;

/** The states of a task. */
export const TaskState = z.enum([
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
]);
/** The state of a task. */
export type TaskState = z.infer<typeof TaskState>;

const FINAL_STATES: readonly TaskState[] = [
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
];

/** Returns whether a task in this state never changes again. */
export function isFinalState(state: TaskState): boolean {
  return FINAL_STATES.includes(state);
}

/** A part of a message or artifact that this server sends. */
export type A2aPart =
  | { readonly text: string; readonly mediaType: typeof TEXT_TYPE }
  | { readonly data: JsonObject; readonly mediaType: typeof JSON_TYPE };

/** A message of this server. */
export interface A2aMessage {
  readonly messageId: string;
  readonly role: 'ROLE_AGENT';
  readonly contextId?: string;
  readonly taskId?: string;
  readonly parts: readonly A2aPart[];
  readonly metadata?: JsonObject;
}

/** The state of a task, and the message that explains it. */
export interface A2aStatus {
  readonly state: TaskState;
  readonly message: A2aMessage;
  /** RFC 3339, in UTC. */
  readonly timestamp: string;
}

/** A result of a task. */
export interface A2aArtifact {
  readonly artifactId: string;
  readonly name: string;
  readonly parts: readonly A2aPart[];
}

/** A task. Its context holds no other task and has the same id. */
export interface A2aTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: A2aStatus;
  readonly artifacts?: readonly A2aArtifact[];
}

/** The ids of a task in each of its events. */
interface TaskIds {
  readonly taskId: string;
  readonly contextId: string;
}

/** One item of a stream or of a push notification. */
export type A2aItem =
  | { readonly task: A2aTask }
  | { readonly message: A2aMessage }
  | { readonly statusUpdate: TaskIds & { readonly status: A2aStatus } }
  | { readonly artifactUpdate: TaskIds & { readonly artifact: A2aArtifact } };

/** Returns a text part. */
export function textPart(text: string): A2aPart {
  return { text, mediaType: TEXT_TYPE };
}

/** Returns a data part. */
export function dataPart(data: JsonObject): A2aPart {
  return { data, mediaType: JSON_TYPE };
}

/** Builds the event of a task's current status. */
export function toStatusUpdate({ id, contextId, status }: A2aTask): A2aItem {
  return { statusUpdate: { taskId: id, contextId, status } };
}

/** Unset fields of the public clients are empty texts. */
const OptionalId = z
  .string()
  .max(ID_CHARS_MAX)
  .optional()
  .transform((id) => (id === '' ? undefined : id));
const TaskId = z.string().min(1).max(ID_CHARS_MAX);
const Tenant = z.literal('', { error: 'this server has no tenants: leave it out' }).optional();

/** A push notification configuration as a client sends it. */
export const PushOrder = z.object({
  id: OptionalId,
  url: z.string().min(8).max(2_048),
  token: z.string().max(1_024).optional(),
  authentication: z
    .object({
      scheme: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/),
      credentials: z
        .string()
        .max(2_048)
        .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII')
        .optional(),
    })
    .optional(),
});
/** A push notification configuration as a client sends it. */
export type PushOrder = z.infer<typeof PushOrder>;

/** A part of a received message. Only texts and data are used. */
const ReceivedPart = z.looseObject({ text: z.string().optional(), data: z.unknown().optional() });

/** A received message. */
const ReceivedMessage = z.object({
  messageId: TaskId,
  role: z.literal('ROLE_USER'),
  contextId: OptionalId,
  taskId: OptionalId,
  /** Clients leave it out of a message that only pays. */
  parts: z.array(ReceivedPart).max(PARTS_MAX).default([]),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
/** A received message. */
export type ReceivedMessage = z.infer<typeof ReceivedMessage>;

const SendMessage = z.object({
  tenant: Tenant,
  message: ReceivedMessage,
  configuration: z
    .object({
      acceptedOutputModes: z.array(z.string().max(200)).max(20).default([]),
      returnImmediately: z.boolean().default(false),
      historyLength: z.int().min(0).optional(),
      taskPushNotificationConfig: PushOrder.optional(),
    })
    .prefault({}),
});
/** The parameters of `SendMessage` and `SendStreamingMessage`. */
export type SendMessage = z.infer<typeof SendMessage>;

const TaskRef = z.object({ tenant: Tenant, id: TaskId });
const PushRef = z.object({ tenant: Tenant, taskId: TaskId, id: TaskId });
const ListTasks = z.object({
  tenant: Tenant,
  contextId: OptionalId,
  status: TaskState.optional(),
  pageSize: z.int().min(1).max(100).default(50),
  pageToken: z.literal('', { error: 'must be empty: a context holds one task' }).optional(),
  historyLength: z.int().min(0).optional(),
  statusTimestampAfter: z.iso.datetime({ offset: true }).optional(),
  includeArtifacts: z.boolean().default(false),
});

/** The parameters of each method, by its name on the wire. */
export const A2A_METHODS = {
  SendMessage,
  SendStreamingMessage: SendMessage,
  GetTask: TaskRef.extend({ historyLength: z.int().min(0).optional() }),
  ListTasks,
  CancelTask: TaskRef.extend({ metadata: z.record(z.string(), z.unknown()).optional() }),
  SubscribeToTask: TaskRef,
  CreateTaskPushNotificationConfig: PushOrder.extend({ tenant: Tenant, taskId: TaskId }),
  GetTaskPushNotificationConfig: PushRef,
  ListTaskPushNotificationConfigs: z.object({ tenant: Tenant, taskId: TaskId }),
  DeleteTaskPushNotificationConfig: PushRef,
  GetExtendedAgentCard: z.object({ tenant: Tenant }),
} as const;
/** The name of a method on the wire. */
export type A2aMethod = keyof typeof A2A_METHODS;
/** The parsed parameters of a method. */
export type ParamsOf<Method extends A2aMethod> = z.infer<(typeof A2A_METHODS)[Method]>;
