import type { LibraryModel } from '@hilltop/contract';
import { Anchor, Stack, Text } from '@mantine/core';
import { CodeEditor } from '../../components/code-editor/code-editor.tsx';
import { Facts } from '../../components/facts/facts.tsx';
import { LegalText } from '../../components/library/legal-text.tsx';
import { vectorsText } from '../../components/library/vectors-text.ts';
import { classesText, codecName } from './device-profile-values.ts';

type Firmware = LibraryModel['firmwares'][number];
type Profile = Firmware['profiles'][number];

interface Props {
  model: LibraryModel;
  firmware: Firmware;
  /** Undefined when none fits the region. */
  profile: Profile | undefined;
}

/** What a device-profile from this model will have. */
export function ModelPreview({ model, firmware, profile }: Props) {
  const { payloadCodec, payloadDecoderScript, copyright } = firmware;
  const { license, productURL, documentationURL } = model;
  const legal = [copyright, license].filter((text) => text !== '').join('\n\n');
  return (
    <Stack gap="sm">
      {model.description !== '' && <Text c="dimmed">{model.description}</Text>}
      <Facts
        facts={[
          ...(profile ? factsOf(profile) : []),
          ['Codec', codecName(payloadCodec)],
          ['Test vectors', vectorsText(firmware)],
          ...linkFact('Product', productURL),
          ...linkFact('Documentation', documentationURL),
        ]}
      />
      {payloadDecoderScript !== '' && (
        <CodeEditor
          label="Decoder"
          language="javascript"
          value={payloadDecoderScript}
          readOnly
          height={200}
          onChange={() => undefined}
        />
      )}
      {legal !== '' && (
        <div>
          <Text size="sm" fw={600} mb={4}>
            Licence
          </Text>
          <LegalText label="Licence" text={legal} />
        </div>
      )}
    </Stack>
  );
}

function factsOf({ deviceProfile }: Profile): [string, string][] {
  const { macVersion, regParamsRevision, supportsJoin } = deviceProfile;
  return [
    ['LoRaWAN', `${macVersion} ${regParamsRevision}`],
    ['Class', classesText(deviceProfile)],
    ['Join', supportsJoin ? 'OTAA' : 'ABP'],
  ];
}

const linkFact = (name: string, url: string) =>
  url === ''
    ? []
    : [
        [
          name,
          <Anchor key={url} href={url} target="_blank" rel="noreferrer">
            {new URL(url).host}
          </Anchor>,
        ] as const,
      ];
