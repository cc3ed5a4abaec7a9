import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconCamera, IconPhoto, IconQrcode } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { ErrorBoundary } from '../error-boundary/error-boundary.tsx';
import { bestCode } from './best-code.ts';
import { hasCamera, needsHTTPS } from './camera-problem.ts';
import classes from './scan.module.css';

const Camera = lazy(() => import('./camera.tsx').then((module) => ({ default: module.Camera })));

interface Props {
  /** The text of the code, or what the user or a hand scanner typed. */
  value: string;
  onChange: (text: string) => void;
  /** Says what is wrong with the text. */
  error?: ReactNode;
  /** It has the focus from the start. */
  isFocused?: boolean;
}

/** Takes the text of a label: from the camera, from a photo, from a hand scanner, typed or pasted. */
export function ScanBox({ value, onChange, error, isFocused = false }: Props) {
  const [isOn, setOn] = useState(false);
  const [problem, setProblem] = useState(hasCamera() ? '' : needsHTTPS);

  const take = (text: string) => {
    setProblem('');
    setOn(false);
    onChange(text);
  };

  return (
    <Stack gap="xs">
      <TextInput
        label="Code or label text"
        description="Scan the code, use a hand scanner here, or type or paste what is printed."
        value={value}
        error={error}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- a hand scanner types into what has the focus
        autoFocus={isFocused}
        onChange={({ currentTarget }) => {
          // The user enters the code without the camera.
          setOn(false);
          onChange(currentTarget.value);
        }}
      />
      <Group gap="xs">
        {hasCamera() && !isOn && (
          <Button variant="default" leftSection={<IconCamera size={16} aria-hidden />} onClick={() => setOn(true)}>
            Use the camera
          </Button>
        )}
        <PhotoButton onCode={take} onProblem={setProblem} />
      </Group>
      <Text size="sm" c="dimmed" role="status">
        {problem}
      </Text>
      {isOn ? (
        <ErrorBoundary>
          <Suspense fallback={<div className={classes.camera} />}>
            <Camera
              onCode={take}
              onStop={() => setOn(false)}
              onProblem={(sentence) => {
                setOn(false);
                setProblem(sentence);
              }}
            />
          </Suspense>
        </ErrorBoundary>
      ) : (
        value === '' && (
          <div className={classes.which}>
            <IconQrcode size={32} stroke={1.5} aria-hidden />
            <Text size="sm">
              The right code is square and begins with LW:D0. A code with a web address is for the vendor's app.
            </Text>
          </div>
        )
      )}
    </Stack>
  );
}

interface PhotoProps {
  onCode: (text: string) => void;
  /** An empty sentence: there is none any more. */
  onProblem: (sentence: string) => void;
}

/** Finds the code in a photo. */
function PhotoButton({ onCode, onProblem }: PhotoProps) {
  const [isReading, setReading] = useState(false);
  const photo = useRef<HTMLInputElement>(null);

  async function read(file: File) {
    setReading(true);
    onProblem('');
    try {
      const { codesIn } = await import('./decode.ts');
      const code = bestCode(await codesIn(file));
      if (code === undefined)
        onProblem('No code was found in the photo. Take it from nearer, sharp and without glare.');
      else onCode(code);
    } catch {
      onProblem('This file cannot be read. Choose a photo in JPEG, PNG or WebP.');
    } finally {
      setReading(false);
    }
  }

  return (
    <>
      <Button
        variant="default"
        loading={isReading}
        leftSection={<IconPhoto size={16} aria-hidden />}
        onClick={() => photo.current?.click()}
      >
        Use a photo
      </Button>
      <input
        ref={photo}
        type="file"
        accept="image/*"
        hidden
        aria-label="Photo of the code"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          currentTarget.value = '';
          if (file) void read(file);
        }}
      />
    </>
  );
}
