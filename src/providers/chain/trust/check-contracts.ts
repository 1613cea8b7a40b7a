import type { Hex } from 'viem';
import { parseAbi } from 'viem/utils';
import type { TrustContracts } from '../../../domain/chain/trust-chain.ts';
import { ESCROW_FEE_BPS, RELEASE_WINDOW_S } from '../../escrow/escrow-encoding.ts';
import {
  formatAnswer,
  requireCode,
  type Setting,
  simulateCall,
  wrongSettingError,
} from '../../payment/check-setting.ts';
import { isSameAddress } from '../../payment/local-check.ts';
import type { OpenChain } from '../open-chain.ts';
import type { ContractAddresses, ContractName } from './deploy.ts';

/** The dependencies of the contract check. */
export type ContractCheckDeps = Pick<OpenChain, 'rpc' | 'accounts' | 'token'>;

type Name = keyof TrustContracts;

/** A view call to a contract and its allowed answers. Without `wanted`, any answer is fine. */
interface ViewCheck {
  readonly name: string;
  readonly args?: readonly unknown[];
  readonly allowed?: readonly unknown[];
  /** Whether a contract without this function passes as well. */
  readonly isOptional?: boolean;
}

const ABI = parseAbi([
  'function token() view returns (address)',
  'function operator() view returns (address)',
  'function arbiter() view returns (address)',
  'function treasury() view returns (address)',
  'function FEE_BPS() view returns (uint16)',
  'function RELEASE_WINDOW() view returns (uint40)',
  'function version() view returns (uint16)',
  'function supportsInterface(bytes4 interfaceId) view returns (bool)',
  'function getVersion() view returns (string)',
  'function getIdentityRegistry() view returns (address)',
  'function getLastIndex(uint256 agentId, address clientAddress) view returns (uint64)',
  'function getAgentValidations(uint256 agentId) view returns (bytes32[])',
  'function latestSize(address log) view returns (uint64)',
  'function rootAt(address log, uint64 size) view returns (bytes32)',
  'function marketCount() view returns (uint256)',
]);
/** Supported versions of the escrow. The first version has no function that returns it. */
const ESCROW_VERSIONS = [1, 2, 3];
/** The interface id of ERC-721, through which agents are owned. */
const ERC721_INTERFACE = '0x80ac58cd';

/** Agents first: a contract that depends on a wrong agent registry is not wrong itself. */
const CHECK_ORDER = [
  'identity',
  'reputation',
  'validation',
  'escrow',
  'anchor',
  'prediction',
] as const;

const EXPECTED_CONTRACTS: { readonly [Of in Name]: string } = {
  escrow: 'the escrow of this service, with its token, operator, arbiter and treasury',
  identity: 'an agent registry (ERC-8004 identity)',
  reputation: 'the feedback registry (ERC-8004 reputation) of that agent registry',
  validation: 'the validation registry (ERC-8004 validation) of that agent registry',
  anchor: 'a ProofAnchor contract',
  prediction: 'the retired PredictionPlatform contract',
};

/** Returns the setting that names a contract. */
export function contractSetting(name: ContractName, address: Hex): Setting {
  return { name: `STOA_${name.toUpperCase()}_ADDRESS`, address };
}

/**
 * Checks that each configured contract matches its setting and the other contracts.
 *
 * @param contracts - All that are used, public deployments included.
 * @param configuredAddresses - Those that the configuration names.
 * @throws {AppError} `CONFIG_INVALID` with the setting, the address and what was found there;
 *   `CHAIN_UNAVAILABLE`
 */
export async function checkContracts(
  parts: ContractCheckDeps,
  contracts: TrustContracts,
  configuredAddresses: ContractAddresses,
): Promise<void> {
  for (const name of CHECK_ORDER) {
    const address = configuredAddresses[name];
    if (address === undefined) continue;
    const setting = contractSetting(name, address);
    await requireCode(parts.rpc, setting, EXPECTED_CONTRACTS[name]);
    const questions = listViewChecks(parts, contracts, name);
    await Promise.all(questions.map((each) => checkView(parts, { setting, name }, each)));
  }
}

function listViewChecks(
  { accounts, token }: ContractCheckDeps,
  { identity }: TrustContracts,
  name: Name,
): readonly ViewCheck[] {
  const operator = accounts.operator.address;
  const registered = { name: 'getIdentityRegistry', ...(identity && { allowed: [identity] }) };
  switch (name) {
    case 'escrow':
      return [
        { name: 'token', allowed: [token] },
        { name: 'operator', allowed: [operator] },
        { name: 'arbiter', allowed: [operator] },
        { name: 'treasury', allowed: [accounts.treasury.address] },
        { name: 'FEE_BPS', allowed: [ESCROW_FEE_BPS] },
        { name: 'RELEASE_WINDOW', allowed: [RELEASE_WINDOW_S] },
        { name: 'version', allowed: ESCROW_VERSIONS, isOptional: true },
      ];
    case 'identity':
      return [
        { name: 'supportsInterface', args: [ERC721_INTERFACE], allowed: [true] },
        { name: 'getVersion' },
      ];
    case 'reputation':
      return [registered, { name: 'getLastIndex', args: [0n, operator] }];
    case 'validation':
      return [registered, { name: 'getAgentValidations', args: [0n] }];
    case 'anchor':
      return [
        { name: 'latestSize', args: [operator] },
        { name: 'rootAt', args: [operator, 0n] },
      ];
    case 'prediction':
      return [{ name: 'marketCount' }];
  }
}

async function checkView(
  { rpc }: ContractCheckDeps,
  { setting, name }: { readonly setting: Setting; readonly name: Name },
  { allowed, isOptional = false, ...asked }: ViewCheck,
): Promise<void> {
  const result = await simulateCall(rpc, setting.address, { abi: ABI, ...asked });
  if (!result.ok) {
    if (isOptional && result.isRefused) return;
    throw wrongSettingError(setting, { found: result.found, allowed: EXPECTED_CONTRACTS[name] });
  }
  const fits = allowed?.some((each) => isEqual(each, result.answer)) ?? true;
  if (fits) return;
  const expected = allowed?.map(formatAnswer).join(' or ');
  const found = `${asked.name}() is ${formatAnswer(result.answer)}, not ${expected}`;
  throw wrongSettingError(setting, { found, allowed: EXPECTED_CONTRACTS[name] });
}

function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one === 'string' && typeof other === 'string') return isSameAddress(one, other);
  return one === other;
}
