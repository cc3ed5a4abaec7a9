import { ApiError, atField, refusal } from '@hilltop/contract';
import type { Principal } from '../../identity/principals.ts';
import type { Codec, PayloadCodecs } from '../../payload-codecs/codec.ts';
import { ownerOf } from './run.ts';

/** The codec of a device-profile or an application. */
export interface SavedCodec {
  payloadCodec: string;
  payloadEncoderScript: string;
  payloadDecoderScript: string;
}

/**
 * Refuses scripts that cannot be parsed or define no function of their direction, at their field. A script that is saved
 * already is accepted, so that other fields of the record can still be changed.
 */
export async function refuseInvalidScripts(
  codecs: PayloadCodecs,
  record: 'deviceProfile' | 'application',
  given: SavedCodec,
  { principal, saved }: { principal: Principal; saved?: SavedCodec },
): Promise<void> {
  const isSaved = saved?.payloadCodec === given.payloadCodec ? saved : undefined;
  const changed = (field: 'payloadEncoderScript' | 'payloadDecoderScript') =>
    isSaved?.[field] === given[field] ? '' : given[field];
  const codec: Codec = {
    codec: given.payloadCodec,
    encoderScript: changed('payloadEncoderScript'),
    decoderScript: changed('payloadDecoderScript'),
  };
  const problem = await codecs.check(codec, ownerOf(principal));
  if (problem === undefined) return;
  if (problem === 'busy') throw refusal('CODEC_RUNS_BUSY');
  const field = problem.field === 'encoderScript' ? 'payloadEncoderScript' : 'payloadDecoderScript';
  throw atField(`${record}.${field}`, scriptRefusal(problem.error));
}

function scriptRefusal({ message, position }: { message: string; position: Position | undefined }): ApiError {
  if (!position) return refusal('NO_CODEC_FUNCTION', { problem: message });
  return refusal('INVALID_SCRIPT', { ...position, problem: message.replace(/ \(line \d+\)$/, '') });
}

interface Position {
  line: number;
  column: number;
}
