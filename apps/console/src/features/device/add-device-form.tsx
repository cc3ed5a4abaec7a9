import type { AddDeviceRequest, ApplicationListItem, DeviceProfileListItem } from '@hilltop/contract';
import { Alert, Button, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ApiError, api, fieldsOf } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { useAppeared } from '../../components/appeared/use-appeared.ts';
import { MessageForm } from '../../components/form/message-form.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { StepBar } from '../../components/steps/step-bar.tsx';
import { useMay } from '../../session/session.tsx';
import {
  type AddedDevice,
  decidedProfile,
  emptyRequest,
  fromForm,
  initialApplication,
  labelOf,
  newProfile,
  type ReceivedDevice,
  tagsWithLabel,
} from './add-device-values.ts';
import { KeyStep } from './key-step.tsx';
import { existingMessage, isExisting, LabelStep } from './label-step.tsx';
import { storeLastProfile } from './last-profile.ts';
import { ModelStep } from './model-step.tsx';
import { createProfile, type LibraryChoice } from './profile-from-library.ts';
import { useProfileOf } from './use-device.ts';

export const formSteps = ['Scan or type', 'Model', 'Name and key'] as const;

interface Props {
  profiles: readonly DeviceProfileListItem[];
  applications: readonly ApplicationListItem[];
  /** The application in the URL, if any. */
  application: string;
  /** The unregistered device that the user wants to register, if any. */
  received: ReceivedDevice | undefined;
  /** The names of all steps, also of those after the form. */
  steps: readonly string[];
  previous: AddedDevice | undefined;
  onAdded: (device: AddedDevice) => void;
}

/** The form of a new device in three steps; what was entered is kept when the user goes back. */
export function AddDeviceForm({ steps, ...rest }: Props) {
  const { profiles, applications } = rest;
  const mayMake = useMay()('application.create');
  const { form, step, setStep, text, label, profile, choice, choose, read, toModel, toKey, add } = useSteps(
    rest,
    mayMake,
  );
  const shared = { form, isNew: true, submit: 'Next' } as const;
  const back = (
    <Button variant="default" onClick={() => setStep(step - 1)}>
      Back
    </Button>
  );
  return (
    <>
      <StepBar label="Steps" steps={steps} current={step} />
      {applications.length === 0 && !mayMake && <NoApplication />}
      {step === 0 && (
        <MessageForm key="label" {...shared} onSubmit={toModel}>
          <StepTitle>Scan or type</StepTitle>
          <LabelStep form={form} text={text} onText={read} label={label} />
        </MessageForm>
      )}
      {step === 1 && (
        <MessageForm key="model" {...shared} actions={back} onSubmit={toKey}>
          <StepTitle isNews>Model</StepTitle>
          <ModelStep
            profiles={profiles}
            applications={applications}
            mayMake={mayMake}
            label={label}
            values={form.values}
            doesJoin={profile?.supportsJoin ?? true}
            choice={choice}
            onChoice={choose}
          />
        </MessageForm>
      )}
      {step === 2 && (
        <MessageForm key="key" {...shared} submit="Add device" actions={back} onSubmit={add}>
          <StepTitle isNews>Name and key</StepTitle>
          <KeyStep
            form={form}
            label={label}
            profileName={profile?.name}
            is11={profile?.macVersion.startsWith('1.1') === true}
          />
        </MessageForm>
      )}
    </>
  );
}

/** The state of the form, and what its three steps do. */
function useSteps(
  { profiles, applications, application, received, previous, onAdded }: Omit<Props, 'steps'>,
  mayMake: boolean,
) {
  const { organizationID } = useIDs();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [step, setStep] = useState(0);
  const [text, setText] = useState('');
  const form = useMessageForm<AddDeviceRequest>('AddDeviceRequest', {
    values: {
      ...emptyRequest(organizationID, profiles, previous, received),
      ...initialApplication(applications, { application, mayMake }),
    },
  });
  const { devEUI, deviceProfileID } = form.values;
  const label = labelOf(text);
  const [choice, setChoice] = useState<LibraryChoice>();
  const isNewProfile = deviceProfileID === newProfile;
  const profile = useProfileOf(isNewProfile ? undefined : deviceProfileID || undefined).data?.deviceProfile;

  const read = (next: string) => {
    setText(next);
    const found = labelOf(next);
    const decided = found && decidedProfile(profiles, found, previous);
    if (decided !== undefined) form.set('deviceProfileID', decided);
  };

  const toModel = async () => {
    if (await isExisting(queryClient, devEUI)) {
      form.refuse({ devEUI: existingMessage });
      return;
    }
    form.set('tags', tagsWithLabel(form.values.tags, label, devEUI));
    setStep(1);
  };

  const toKey = async () => {
    if (isNewProfile && choice) {
      const made = await createProfile(organizationID, choice, label);
      form.set('deviceProfileID', made.id);
      setChoice(undefined);
      if (!made.supportsJoin) throw new Error('Devices of this model do not join. Choose a device-profile with OTAA.');
    }
    setStep(2);
  };

  const add = async (given: AddDeviceRequest) => {
    try {
      const applicationID = await addDevice(given);
      storeLastProfile(organizationID, given.deviceProfileID);
      onAdded({ tags: given.tags, deviceProfileID: given.deviceProfileID, label });
      await navigate({
        to: '.',
        search: { device: devEUI.toLowerCase(), application: applicationID } as never,
        replace: true,
        ignoreBlocker: true,
      });
    } catch (error) {
      const problems = error instanceof ApiError ? fieldsOf(error) : {};
      const at = stepOf(Object.keys(problems));
      if (at === undefined) throw error;
      setStep(at);
      form.refuse(problems);
    }
  };

  const choose = (next: LibraryChoice) => {
    setChoice(next);
    form.set('deviceProfileID', newProfile);
  };

  return { form, step, setStep, text, label, profile, choice, choose, read, toModel, toKey, add };
}

/** Resolves with the application of the new device. */
async function addDevice(given: AddDeviceRequest): Promise<string> {
  const { applicationID } = await perform(api.firstSteps.addDevice(fromForm(given)), {
    changed: ['device', 'application', 'firstSteps'],
    done: 'device has been created',
  });
  return applicationID;
}

function NoApplication() {
  return (
    <Alert color="yellow" mb="md" maw={720}>
      This organization has no application. An administrator can create one.
    </Alert>
  );
}

/** The heading of a step gets the focus when the step appears. */
function StepTitle({ isNews = false, children }: { isNews?: boolean; children: ReactNode }) {
  const title = useAppeared<HTMLHeadingElement>(isNews);
  return (
    <Title order={2} tabIndex={-1} ref={title} style={{ outline: 'none' }}>
      {children}
    </Title>
  );
}

/** The earlier step of a field that the server refused; undefined if the last step shows it. */
function stepOf(fields: readonly string[]): number | undefined {
  if (fields.includes('devEUI')) return 0;
  if (fields.some((field) => ['deviceProfileID', 'applicationID', 'applicationName'].includes(field))) return 1;
  return undefined;
}
