import type { Operations, RadioPlan, RadioSettings, ResponseOf } from '@hilltop/contract';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { FormSection } from '../../components/form/form-section.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { useField } from '../../components/form/use-field.ts';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { BandPicture } from './band-picture.tsx';
import { tabsOf, titleOf } from './network-server-header.tsx';
import classes from './radio.module.css';
import { channelsOf } from './radio-channels.ts';
import { DynamicChannels } from './radio-dynamic-channels.tsx';
import { RadioEffects } from './radio-effects.tsx';
import { RadioFields } from './radio-fields.tsx';
import { SubBands } from './radio-sub-bands.tsx';

/** The radio settings of an embedded network-server. */
export function RadioPage() {
  const { networkServerID } = useIDs();
  return (
    <Loaded isPage query={useQuery(query('networkServer', 'get', { id: networkServerID }))}>
      {(answer) => (
        <>
          <PageHeader
            crumbs={[{ label: 'Network-servers', to: paths.networkServer.list() }]}
            title={answer.networkServer.name}
            {...titleOf(answer)}
            tabs={tabsOf(answer.networkServer)}
          />
          <Radio networkServerID={networkServerID} />
        </>
      )}
    </Loaded>
  );
}

function Radio({ networkServerID }: { networkServerID: string }) {
  const [saves, setSaves] = useState(0);
  const onSaved = () => setSaves((times) => times + 1);
  return (
    <Loaded query={useQuery(query('radio', 'get', { networkServerID }))}>
      {(answer) => (
        <RadioForm
          key={`${networkServerID} ${saves}`}
          networkServerID={networkServerID}
          onSaved={onSaved}
          {...answer}
        />
      )}
    </Loaded>
  );
}

type RadioAnswer = ResponseOf<Operations['radio']['get']>;

function RadioForm({
  networkServerID,
  onSaved,
  settings,
  defaults,
  plan,
}: { networkServerID: string; onSaved: () => void } & RadioAnswer) {
  const form = useMessageForm('RadioSettings', { values: settings });
  const { values } = form;
  return (
    <MessageForm
      form={form}
      wide
      submit="Save radio settings"
      onSaved={onSaved}
      onSubmit={(sent) =>
        perform(api.radio.update({ networkServerID, settings: withoutEmpty(sent) }), {
          changed: ['radio'],
          done: 'radio settings have been updated',
        })
      }
    >
      <div className={classes.layout}>
        <Stack gap="md">
          <FormSection title="Channels">
            <BandPicture
              plan={plan}
              channels={channelsOf(plan, values)}
              rx2Frequency={Number(values.rx2Frequency || defaults.rx2Frequency)}
            />
            <Channels plan={plan} values={values} />
          </FormSection>
          <Text c="dimmed">An empty field uses the default of the region or of Hilltop, shown in grey.</Text>
          <RadioFields plan={plan} defaults={defaults} />
        </Stack>
        <div className={classes.side} data-changed={form.dirty || undefined}>
          <RadioEffects networkServerID={networkServerID} settings={withoutEmpty(values)} isChanged={form.dirty} />
        </div>
      </div>
    </MessageForm>
  );
}

function Channels({ plan, values }: { plan: RadioPlan; values: RadioSettings }) {
  const { onChange: enable, error } = useField<number[]>('enabledChannels');
  const { onChange: add } = useField<RadioSettings['extraChannels']>('extraChannels');
  const Switches = plan.isFixed ? SubBands : DynamicChannels;
  return (
    <>
      <Switches
        plan={plan}
        settings={values}
        onChange={({ enabledChannels, extraChannels }) => {
          enable(enabledChannels);
          add(extraChannels);
        }}
      />
      {error && (
        <Text c="red" role="alert">
          {error}
        </Text>
      )}
    </>
  );
}

/** An empty box is not sent. */
function withoutEmpty(values: RadioSettings): RadioSettings {
  const given = Object.entries(values).filter(([, value]) => value !== '' && value !== undefined);
  return Object.fromEntries(given) as unknown as RadioSettings;
}
