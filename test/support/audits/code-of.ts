import { AppError } from '../../../src/domain/common/error.ts';

/** The code that work ended with; `none` when it ended well. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'none',
    (thrown: unknown) => (thrown instanceof AppError ? thrown.code : String(thrown)),
  );
}
