import type { CodecRunResult, Device, DeviceProfile, Quantities } from '@hilltop/contract';
import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { factsOf } from '../../api/facts.ts';
import { perform } from '../../api/queries.ts';
import { CodeEditor } from '../../components/code-editor/code-editor.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { parsedJson } from '../../components/live-log/identifiers.ts';
import { InlineError } from '../../components/states/states.tsx';
import { valuesOf } from '../../components/values/values.ts';
import { Values } from '../../components/values/values.tsx';
import { type EventItem, payloadOf } from './event-kind.ts';

const mostValues = 12;

const template = `function decodeUplink({ bytes, fPort }) {
  return { data: { first: bytes[0] } };
}
`;

interface Props {
  uplink: EventItem;
  device: Device;
  profile: DeviceProfile;
  onSaved: () => void;
}

interface Codec {
  codec: string;
  decoderScript: string;
}

/** Decodes the bytes that the device sent with a codec that is not saved yet. */
export function CodecPreview({ uplink, device, profile, onSaved }: Props) {
  const [codec, setCodec] = useState(profile.payloadCodec || 'CAYENNE_LPP');
  const [script, setScript] = useState(profile.payloadDecoderScript || template);
  /** A script runs when the user asks for it, not at each key. */
  const [ran, setRan] = useState(script);
  const [failure, setFailure] = useState<unknown>(null);
  const isScript = codec === 'CUSTOM_JS';
  const run = useRun(uplink, device, { codec, decoderScript: isScript ? ran : '' });
  const [result] = run.data?.results ?? [];
  const isCurrent = !isScript || ran === script;
  const isDecoded = isCurrent && result !== undefined && problemOf(result) === undefined;

  const save = () =>
    perform(
      api.deviceProfile.update({
        deviceProfile: { ...profile, payloadCodec: codec, ...(isScript && { payloadDecoderScript: script }) },
      }),
      { changed: ['deviceProfile'], done: 'device-profile has been updated' },
    ).then(onSaved, setFailure);

  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false }) ?? false;
  const codecs = factsOf('DeviceProfile', 'payloadCodec').choices ?? [];
  return (
    <Stack gap="xs" mt="xs" align="stretch">
      <SegmentedControl
        aria-label="Codec"
        orientation={isNarrow ? 'vertical' : 'horizontal'}
        value={codec}
        onChange={setCodec}
        data={codecs.flatMap(({ value, label }) => (value === '' ? [] : [{ value: String(value), label }]))}
      />
      {isScript && (
        <CodeEditor
          label="Decoder"
          language="javascript"
          height={200}
          value={script}
          onChange={setScript}
          error={isCurrent && result ? problemOf(result) : undefined}
        />
      )}
      <div aria-live="polite">
        <Outcome result={isCurrent ? result : undefined} error={run.error} isShownAtScript={isScript} />
      </div>
      <InlineError error={failure} />
      <Group justify="flex-end" gap="xs">
        {isScript && (
          <Button
            variant="default"
            loading={run.isFetching}
            onClick={() => (isCurrent ? run.refetch() : setRan(script))}
          >
            Run
          </Button>
        )}
        <Button disabled={!isDecoded} onClick={() => void save()}>
          Use this codec
        </Button>
      </Group>
    </Stack>
  );
}

function useRun(uplink: EventItem, device: Device, { codec, decoderScript }: Codec) {
  const { organizationID } = useIDs();
  const { data = '', fPort = 0 } = payloadOf(uplink);
  const request = {
    organizationID,
    codec,
    decoderScript,
    variables: device.variables,
    runs: [{ direction: 'UPLINK', fPort, data: data ?? '', receivedAt: uplink.publishedAt }],
  } as const;
  return useQuery({
    queryKey: ['codecRun', request],
    queryFn: () => api.codecRun.create(request),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

/** Why a codec did not decode the bytes, as a sentence, or undefined. */
function problemOf({ error, errors, line }: CodecRunResult): string | undefined {
  if (error !== '') return line > 0 ? `Line ${line}: ${error}` : error;
  return errors.length > 0 ? errors.join(' ') : undefined;
}

interface OutcomeProps {
  result: CodecRunResult | undefined;
  error: unknown;
  /** The editor shows the error of the script itself. */
  isShownAtScript: boolean;
}

/** Units from the codec. */
const quantitiesOf = ({ quantitiesJSON }: CodecRunResult): Quantities =>
  quantitiesJSON ? (JSON.parse(quantitiesJSON) as Quantities) : {};

function Outcome({ result, error, isShownAtScript }: OutcomeProps) {
  if (error) return <InlineError error={error} />;
  if (!result) return null;
  const problem = problemOf(result);
  if (problem !== undefined) {
    return isShownAtScript ? null : (
      <Alert color="yellow" p="xs">
        {problem}
      </Alert>
    );
  }
  const values = valuesOf(parsedJson(result.objectJSON), mostValues, quantitiesOf(result));
  return (
    <Stack gap="xs">
      {values.length > 0 ? (
        <Values label="Preview of the decoded values" values={values} />
      ) : (
        <Text c="dimmed">The codec decodes these bytes to an object without values.</Text>
      )}
      {result.warnings.map((warning) => (
        <Text key={warning} size="sm" c="dimmed">
          Warning: {warning}
        </Text>
      ))}
    </Stack>
  );
}
