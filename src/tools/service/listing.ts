import { z } from 'zod';
import type { ErrorBody } from '../../domain/common/error.ts';
import { isObject, type JsonObject } from '../../domain/common/json.ts';
import { toMoney } from '../../domain/common/money.ts';
import { findControlOfTool } from '../../domain/control/control-view.ts';
import { CONTROL_META } from '../../domain/manifest/agent-services.ts';
import { FEE_BPS, PaymentRequired } from '../../domain/payment/payment.ts';
import { RESULT_VIEW } from '../../domain/tool/app-view.ts';
import type { ListedTool, Tool, ToolDetails } from '../../domain/tool/tool.ts';
import type { Challenger } from '../payment/challenge.ts';
import { advancedNames, compactInput, compactOutput, dropChecks } from './compact-schema.ts';

/**
 * JSON Schema of an error result. The description of every tool repeats it, so it is minimal: the
 * members, and the values by which a client decides. The wire form of errors has more.
 */
const ERROR_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    error: { type: 'string' },
    retry: { enum: ['never', 'after_fix', 'later'] satisfies ErrorBody['retry'][] },
  },
  required: ['error', 'message', 'retry', 'doc'] satisfies (keyof ErrorBody)[],
};

const CHALLENGE_SCHEMA = toJsonSchema(PaymentRequired, 'output');

/**
 * Returns the `tools/list` entry of a tool. It is short: each client keeps all of them in the
 * context of its model. `describeTool` has the rest.
 */
export function listTool(tool: Tool, challenger: Challenger | undefined): ListedTool {
  const input = toJsonSchema(tool.input, 'input');
  return {
    name: tool.name,
    title: tool.title,
    description: listedText(tool, advancedNames(input)),
    inputSchema: tool.server === 'hosting' ? dropChecks(input) : compactInput(input),
    outputSchema: compactOutput(toJsonSchema(tool.output, 'output')),
    annotations: tool.annotations,
    ...metaMember({ ...priceMeta(tool, challenger), ...controlMeta(tool), ...viewMeta(tool) }),
  };
}

/**
 * Returns a tool in full. Clients validate structured content against the output schema on errors
 * and payment challenges too, so the schema covers those beside the answer.
 */
export function describeTool(tool: Tool, challenger: Challenger | undefined): ToolDetails {
  const { name, title, description, example, price } = tool;
  return {
    name,
    title,
    description,
    summary: summaryOf(tool),
    ...(example === undefined ? {} : { example }),
    inputSchema: dropMarks(toJsonSchema(tool.input, 'input')),
    outputSchema: { type: 'object', anyOf: [...answerSchemas(tool), ERROR_SCHEMA] },
    accepts: price === undefined || challenger === undefined ? [] : [challenger.offer(tool)],
  };
}

function summaryOf({ server, description, summary, price }: Tool): string {
  // Descriptions state the price themselves, and nothing of hosting has one.
  if (summary === undefined || server === 'hosting') return summary ?? description;
  return `${summary} ${price === undefined ? 'Free.' : `$${toMoney(price.amount).amount}.`}`;
}

function listedText(tool: Tool, advanced: readonly string[]): string {
  const { name, example } = tool;
  return [
    summaryOf(tool),
    ...(advanced.length === 0 ? [] : [`Also: ${advanced.join(', ')} (stoa://tools/${name}).`]),
    ...(example === undefined ? [] : [`Example: ${JSON.stringify(example)}`]),
  ].join(' ');
}

/** The answer of a tool and, if it has a price, the challenge. */
function answerSchemas({ output, price }: Tool): readonly JsonObject[] {
  return [toJsonSchema(output, 'output'), ...(price === undefined ? [] : [CHALLENGE_SCHEMA])];
}

function dropMarks(schema: JsonObject): JsonObject {
  return toPlainJson(schema, (key, value) => (key === 'advanced' ? undefined : value));
}

function metaMember(meta: Readonly<Record<string, unknown>>) {
  return Object.keys(meta).length === 0 ? {} : { _meta: toPlainJson(meta) };
}

function priceMeta(tool: Tool, challenger: Challenger | undefined) {
  if (tool.price === undefined || challenger === undefined) return {};
  const { amount, flow } = tool.price;
  const price = { ...toMoney(amount), flow, fee_bps: FEE_BPS };
  return { price };
}

/** Priced tools and those that read their jobs have a view; other hosts ignore it. */
function viewMeta({ server, price, name }: Tool) {
  const hasView = server === 'commerce' && (price !== undefined || name === 'get_result');
  return hasView ? { ui: { resourceUri: RESULT_VIEW.uri } } : {};
}

// A tool is listed only while its control is LIVE.
function controlMeta({ name }: Tool) {
  const id = findControlOfTool(name);
  return id === undefined ? {} : { [CONTROL_META]: { id, label: 'LIVE' } };
}

/** Converts a schema to the subset of JSON Schema that draft 7 and 2020-12 share. */
function toJsonSchema(shape: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, {
    target: 'draft-7',
    io,
    cycles: 'throw',
    unrepresentable: 'throw',
  });
  return toPlainJson(schema, makePortable);
}

/**
 * Rewrites two constructs for clients that support only one type per schema: an empty
 * `additionalProperties` becomes `true`, and a list of types becomes `anyOf`.
 */
function makePortable(key: string, value: unknown): unknown {
  if (key === 'additionalProperties' && isObject(value) && Object.keys(value).length === 0) {
    return true;
  }
  if (!isObject(value) || !Array.isArray(value['type'])) return value;
  const { type: _types, ...rest } = value;
  return { ...rest, anyOf: value['type'].map((one: unknown) => ({ type: one })) };
}

function toPlainJson(value: object, revive?: (key: string, value: unknown) => unknown): JsonObject {
  return JSON.parse(JSON.stringify(value), revive) as JsonObject;
}
