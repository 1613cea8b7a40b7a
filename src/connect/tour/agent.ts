import type { DebateState } from '../../domain/debate/result.ts';

/** A turn as `get_result` takes it. */
export interface SuppliedTurn {
  readonly turn_id: string;
  readonly answer: Readonly<Record<string, unknown>>;
}

/**
 * The tour's own agent: it answers every turn that the panel asks for, from the turn's schema
 * alone. Its choice depends on the place of the turn, so that the panel has something to weigh.
 */
export function answerTurns(state: DebateState): readonly SuppliedTurn[] {
  return (state.needs_turns ?? []).map(({ turn_id, schema }, place) => {
    const options = optionsIn(schema);
    const choice = options[place % 3 === 2 ? 0 : 1] ?? options[0] ?? '';
    const ranking = [choice, ...options.filter((option) => option !== choice)];
    const isVote = JSON.stringify(schema).includes('"ranking"');
    return {
      turn_id,
      answer: {
        position: choice,
        argument: 'It keeps what works and takes the one part out that changes most.',
        confidence: 0.7,
        evidenceIds: [],
        changed: false,
        changeReason: null,
        ...(isVote ? { ranking } : {}),
      },
    };
  });
}

function optionsIn(schema: Readonly<Record<string, unknown>>): readonly string[] {
  const properties = schema['properties'] as Record<string, { enum?: string[] }> | undefined;
  return properties?.['position']?.enum ?? [];
}
