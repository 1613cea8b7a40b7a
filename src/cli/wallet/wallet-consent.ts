import { z } from 'zod';
import type { RequestSigner } from '../../connect/wallet/request-signer.ts';
import { AppError } from '../../domain/common/error.ts';
import type { WalletConsent } from '../../domain/passport/order.ts';

const Uint = z.union([z.int().min(0), z.string().regex(/^\d{1,78}$/)]);
const Address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

/** The typed data `AgentWalletSet`: the only data from a server that a wallet signs. */
const WalletSet = z.object({
  domain: z.strictObject({
    name: z.literal('ERC8004IdentityRegistry'),
    version: z.literal('1'),
    chainId: z.int().positive(),
    verifyingContract: Address,
  }),
  primaryType: z.literal('AgentWalletSet'),
  message: z.strictObject({ agentId: Uint, newWallet: Address, owner: Address, deadline: Uint }),
});

/**
 * Signs a wallet's consent to be bound to an agent, as the registry asks for it.
 *
 * @throws {AppError} `SERVER_UNREACHABLE` for any other data, and for another wallet.
 */
export async function readConsent(asked: unknown, signer: RequestSigner): Promise<WalletConsent> {
  const read = WalletSet.safeParse(asked);
  if (!read.success || read.data.message.newWallet.toLowerCase() !== signer.address) {
    throw new AppError('SERVER_UNREACHABLE', {
      message: 'The server asks this wallet to sign something other than its consent to be bound.',
      data: { wallet: signer.address },
    });
  }
  const { domain, message, primaryType } = read.data;
  const types = {
    AgentWalletSet: [
      { name: 'agentId', type: 'uint256' },
      { name: 'newWallet', type: 'address' },
      { name: 'owner', type: 'address' },
      { name: 'deadline', type: 'uint256' },
    ],
  };
  const signature = await signer.signData({ domain, message, primaryType, types });
  return { deadline: Number(message.deadline), signature };
}
