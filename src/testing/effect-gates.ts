import type { EffectContext, EffectResult } from '../runtime/engine/types.ts';

/** Holds effects until the test completes them. */
export class EffectGates {
  readonly #open = new Map<string, (result: EffectResult) => void>();

  /** Runs one attempt of an effect. A later attempt replaces an earlier one. */
  readonly run = (_input: never, { token }: EffectContext): Promise<unknown> =>
    new Promise((resolve, reject) => {
      this.#open.set(token, (result) => {
        if (result.ok) resolve(result.output);
        else reject(toError(result.error));
      });
    });

  /** @returns False if no attempt waits under the token. */
  complete(token: string, result: EffectResult): boolean {
    const end = this.#open.get(token);
    this.#open.delete(token);
    end?.(result);
    return end !== undefined;
  }
}

function toError(error: Extract<EffectResult, { ok: false }>['error']): Error {
  return Object.assign(new Error(error.message), error);
}
