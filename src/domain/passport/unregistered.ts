import { AppError } from '../common/error.ts';

/** The error for an agent that nobody registered here: that says nothing about it, good or bad. */
export function unregistered(subject: string): AppError {
  return new AppError('PASSPORT_UNKNOWN', {
    message: 'This agent is not registered here. That says nothing else about it.',
    data: { received: subject.slice(0, 200) },
  });
}
