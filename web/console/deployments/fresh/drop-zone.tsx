import { FileArchive, FolderUp, Package } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { Button, classes } from "../../../ui/index.ts";
import { bytesText } from "../../ui/index.ts";
import { type DroppedProject, readChosen, readDrop } from "../archive.ts";
import { WORDS } from "../words.tsx";
import "./drop-zone.css";

type DropZoneProps = {
  project: DroppedProject | undefined;
  onProject: (project: DroppedProject) => void;
  /** For images there is only one file. */
  fileOnly?: boolean;
};

/** Where a project is dropped, or chosen: a folder, or a tar archive of one. */
export function DropZone({ project, onProject, fileOnly = false }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const [fault, setFault] = useState<string>();
  const take = (reading: Promise<DroppedProject>) => {
    setFault(undefined);
    reading.then(onProject, (error: Error) => setFault(error.message));
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(readDrop(event.dataTransfer.items));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset takes no drops in every browser.
    <div
      role="group"
      aria-label={WORDS.whatToUpload}
      className={classes("drop-zone", isOver && "drop-zone-over")}
      data-testid="drop-zone"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {project ? <Summary project={project} /> : <Invitation fileOnly={fileOnly} />}
      <ChooseButtons fileOnly={fileOnly} onChosen={(files) => take(readChosen(files))} />
      {fault !== undefined && (
        <p className="field-error" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

type ChooseButtonsProps = { fileOnly: boolean; onChosen: (files: FileList | File[]) => void };

/** For those who do not drag: the system's own dialogs. */
function ChooseButtons({ fileOnly, onChosen }: ChooseButtonsProps) {
  const folder = useRef<HTMLInputElement>(null);
  const file = useRef<HTMLInputElement>(null);
  return (
    <>
      <div className="drop-zone-buttons">
        {!fileOnly && (
          <Button size="small" icon={<FolderUp />} onClick={() => folder.current?.click()}>
            {WORDS.chooseAFolder}
          </Button>
        )}
        <Button size="small" icon={<FileArchive />} onClick={() => file.current?.click()}>
          {fileOnly ? WORDS.chooseAFile : WORDS.chooseATarGz}
        </Button>
      </div>
      <input
        ref={folder}
        type="file"
        hidden
        multiple
        data-testid="choose-folder"
        // Not in React's types, though in every browser.
        {...{ webkitdirectory: "" }}
        onChange={(event) => onChosen(event.target.files ?? [])}
      />
      <input
        ref={file}
        type="file"
        hidden
        accept=".tar,.gz,.tgz"
        data-testid="choose-file"
        onChange={(event) => onChosen(event.target.files ?? [])}
      />
    </>
  );
}

function Invitation({ fileOnly }: { fileOnly: boolean }) {
  return (
    <>
      <Package aria-hidden="true" />
      <p>
        <strong>{fileOnly ? WORDS.dropTheArchive : WORDS.dropYourProjectsFolder}</strong>
      </p>
      <p className="form-note">{fileOnly ? WORDS.archiveHint : WORDS.folderHint}</p>
    </>
  );
}

function Summary({ project }: { project: DroppedProject }) {
  if (project.kind === "archive")
    return (
      <p data-testid="dropped">
        <strong>{project.file.name}</strong>, {bytesText(project.file.size)}
      </p>
    );
  const { name, files, leftOut } = project;
  const bytes = files.reduce((sum, { content }) => sum + content.size, 0);
  return (
    <>
      <p data-testid="dropped">
        <strong>{name}</strong>: {WORDS.files(files.length)}, {bytesText(bytes)}
      </p>
      {leftOut.length > 0 && <p className="form-note">{WORDS.leftBehind(leftOut.join(", "))}</p>}
    </>
  );
}
