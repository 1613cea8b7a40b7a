import { z } from 'zod';
import type { JsonSchema, Values } from '../target.ts';

const FAULTS_MAX = 5;

/** What does not fit a tool's schema, in words; nothing where all fits. */
export function argumentFaults(schema: JsonSchema, values: Values): string | undefined {
  const parsed = parserOf(schema).safeParse(values);
  if (parsed.success) return undefined;
  const faults = parsed.error.issues.slice(0, FAULTS_MAX).map((issue) => {
    const place = issue.path.join('.');
    return place === '' ? issue.message : `${place}: ${issue.message}`;
  });
  return `Invalid arguments. ${faults.join('; ').slice(0, 600)}`;
}

const PARSERS = new WeakMap<JsonSchema, z.ZodType>();

function parserOf(schema: JsonSchema): z.ZodType {
  const known = PARSERS.get(schema);
  if (known !== undefined) return known;
  const made = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  PARSERS.set(schema, made);
  return made;
}
