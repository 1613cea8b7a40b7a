import type { DebateState } from '../../domain/debate/result.ts';

/** A turn in the arguments of `get_result`. */
export interface SuppliedTurn {
  readonly turn_id: string;
  readonly answer: Readonly<Record<string, unknown>>;
}

/**
 * Answers every turn that the panel requests, from the turn's schema alone. The choice varies with
 * the position of the turn, so that the panel has something to decide.
 */
export function answerTurns(state: DebateState): readonly SuppliedTurn[] {
  return (state.needs_turns ?? []).map(({ turn_id, schema }, place) => {
    const { options, isVote } = parseTurnSchema(schema);
    const choice = options[place % 3 === 2 ? 0 : 1] ?? options[0] ?? '';
    const others = options.filter((option) => option !== choice);
    const choiceFields = isVote ? { ranking: [choice, ...others] } : { position: choice };
    return {
      turn_id,
      answer: {
        ...choiceFields,
        argument: 'It keeps what works and extracts the one part that changes most.',
        confidence: 0.7,
        evidenceIds: [],
        changed: false,
        changeReason: null,
      },
    };
  });
}

interface TurnSchema {
  readonly properties?: {
    readonly position?: { readonly enum?: readonly string[] };
    readonly ranking?: { readonly items?: { readonly enum?: readonly string[] } };
  };
}

function parseTurnSchema(schema: object): { options: readonly string[]; isVote: boolean } {
  const { position, ranking } = (schema as TurnSchema).properties ?? {};
  const isVote = ranking !== undefined;
  return { options: (isVote ? ranking.items?.enum : position?.enum) ?? [], isVote };
}
