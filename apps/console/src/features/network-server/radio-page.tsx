import type { Operations, RadioPlan, RadioSettings, ResponseOf } from '@hilltop/contract';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { FormSections } from '../../components/form/form-sections.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { useField } from '../../components/form/use-field.ts';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { DeleteResource } from '../../components/resource/delete-resource.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { BandPicture } from './band-picture.tsx';
import { tabsOf, titleOf } from './network-server-header.tsx';
import { channelsOf } from './radio-channels.ts';
import { DynamicChannels } from './radio-dynamic-channels.tsx';
import { RadioEffects } from './radio-effects.tsx';
import { radioSections } from './radio-fields.tsx';
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
            actions={
              <DeleteResource of="networkServer" id={networkServerID} name={answer.networkServer.name} mustType />
            }
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
      submit="Save radio settings"
      beforeButtons={
        <RadioEffects networkServerID={networkServerID} settings={withoutEmpty(values)} isChanged={form.dirty} />
      }
      onSaved={onSaved}
      onSubmit={(sent) =>
        perform(api.radio.update({ networkServerID, settings: withoutEmpty(sent) }), {
          changed: ['radio'],
          done: 'radio settings have been updated',
        })
      }
    >
      <FormSections
        sections={[
          {
            value: 'channels',
            label: 'Channels',
            content: (
              <>
                <BandPicture
                  plan={plan}
                  channels={channelsOf(plan, values)}
                  rx2Frequency={Number(values.rx2Frequency || defaults.rx2Frequency)}
                />
                <Channels plan={plan} values={values} />
              </>
            ),
          },
          ...radioSections(plan, defaults),
        ]}
      />
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
