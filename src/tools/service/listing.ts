import { z } from 'zod';
import type { ErrorBody } from '../../domain/common/error.ts';
import { isObject, type JsonObject } from '../../domain/common/json.ts';
import { money } from '../../domain/common/money.ts';
import { controlOfTool } from '../../domain/control/standing.ts';
import { CONTROL_META } from '../../domain/manifest/agent-services.ts';
import { FEE_BPS, PaymentRequired } from '../../domain/payment/payment.ts';
import type { ListedTool, Tool } from '../../domain/tool/tool.ts';
import type { Challenger } from '../payment/challenge.ts';

/**
 * The structured content of every error result. It stands in every row of the list, so it says only
 * which members there are and what a client decides by; `errorBody` says the rest.
 */
const ERROR_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    error: { type: 'string' },
    retry: { enum: ['never', 'after_fix', 'later'] satisfies ErrorBody['retry'][] },
  },
  required: ['error', 'message', 'retry', 'doc'] satisfies (keyof ErrorBody)[],
};

/**
 * Makes the row of a tool for `tools/list`. Clients check structured content against the output
 * schema also on errors and challenges, so the schema names those beside the answer.
 */
export function listTool(tool: Tool, challenger: Challenger | undefined): ListedTool {
  const shapes = [tool.output, ...(tool.price === undefined ? [] : [PaymentRequired])];
  const answers = shapes.map((shape) => schemaOf(shape, 'output'));
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: schemaOf(tool.input, 'input'),
    outputSchema: { type: 'object', anyOf: [...answers, ERROR_SCHEMA] },
    annotations: tool.annotations,
    ...metaOf({ ...priceMeta(tool, challenger), ...controlMeta(tool) }),
  };
}

function metaOf(meta: Readonly<Record<string, unknown>>) {
  return Object.keys(meta).length === 0 ? {} : { _meta: plain(meta) };
}

function priceMeta(tool: Tool, challenger: Challenger | undefined) {
  if (tool.price === undefined || challenger === undefined) return {};
  const { amount, flow } = tool.price;
  const price = { ...money(amount), flow, fee_bps: FEE_BPS };
  return { price, 'x402/accepts': [challenger.offer(tool)] };
}

// A tool is listed only while its control is LIVE.
function controlMeta({ name }: Tool) {
  const id = controlOfTool(name);
  return id === undefined ? {} : { [CONTROL_META]: { id, label: 'LIVE' } };
}

/** Writes a schema in the part of JSON Schema that draft 7 and 2020-12 read alike. */
function schemaOf(shape: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, {
    target: 'draft-7',
    io,
    cycles: 'throw',
    unrepresentable: 'throw',
  });
  return plain(schema, portable);
}

/**
 * Spells two things so that clients which know one type a schema take them as well: members of any
 * kind as `true`, and alternatives of type as branches.
 */
function portable(key: string, value: unknown): unknown {
  if (key === 'additionalProperties' && isObject(value) && Object.keys(value).length === 0) {
    return true;
  }
  if (!isObject(value) || !Array.isArray(value['type'])) return value;
  const { type: _types, ...rest } = value;
  return { ...rest, anyOf: value['type'].map((one: unknown) => ({ type: one })) };
}

function plain(value: object, revive?: (key: string, value: unknown) => unknown): JsonObject {
  return JSON.parse(JSON.stringify(value), revive) as JsonObject;
}
