import type { Call, PlannedTool, ToolAnswer } from '../target.ts';
import type { Form } from '../variation.ts';

/** A tool in terms of its own fields. */
export interface ToolPlan<Key extends string> {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly form: Form<Key>;
  readonly annotations?: Readonly<Record<string, boolean | string>>;
  run(
    fields: Readonly<Partial<Record<Key, unknown>>>,
    call: Call,
  ): ToolAnswer | string | Promise<ToolAnswer | string>;
}

/** Hints of a tool that changes nothing. */
export const READS = { readOnlyHint: true, openWorldHint: false } as const;

/** Hints of a tool that adds something. */
export const ADDS = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

/** Hints of a tool that removes or sends what cannot be taken back. */
export const DESTROYS = {
  readOnlyHint: false,
  destructiveHint: true,
  openWorldHint: false,
} as const;

/** Makes a tool whose fields are read under our own names. */
export function toolOf<Key extends string>(plan: ToolPlan<Key>): PlannedTool {
  return {
    definition: {
      name: plan.name,
      ...(plan.title === undefined ? {} : { title: plan.title }),
      description: plan.description,
      inputSchema: plan.form.schema,
      ...(plan.annotations === undefined ? {} : { annotations: plan.annotations }),
    },
    run: async (values, call) => {
      const answer = await plan.run(plan.form.read(values), call);
      return typeof answer === 'string' ? { text: answer } : answer;
    },
  };
}

/** An answer that says what was wrong. */
export function refused(text: string): ToolAnswer {
  return { text, isError: true };
}

/** A value that is a text, or what stands for it. */
export function textOf(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}
