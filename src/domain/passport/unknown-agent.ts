import { AppError } from '../common/error.ts';

/** Creates the error for an agent that is not registered here. */
export function unknownAgentError(subject: string): AppError {
  return new AppError('PASSPORT_UNKNOWN', {
    message: 'This agent is not registered here. This implies nothing else about it.',
    data: { received: subject.slice(0, 200) },
  });
}
