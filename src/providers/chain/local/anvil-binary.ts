import { createRequire } from 'node:module';
import { AppError } from '../../../domain/common/error.ts';

const PACKAGE = '@foundry-rs/anvil';
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Finds the native anvil binary in its package for this platform, without that package's install
 * script.
 *
 * @throws {AppError} `NOT_CONFIGURED` with the fix when there is none.
 */
export function findAnvilBinary(
  platform: string = process.platform,
  arch: string = process.arch,
): string {
  const name = `${PACKAGE}-${platform}-${ARCHITECTURES[arch] ?? arch}`;
  const file = platform === 'win32' ? 'anvil.exe' : 'anvil';
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/${file}`);
  } catch (cause) {
    throw new AppError('NOT_CONFIGURED', {
      message:
        `The local chain needs ${name}. Run \`npm install --include=optional\`, ` +
        'or set STOA_RPC_URL to use your own node.',
      data: { missing: name },
      cause,
    });
  }
}
