// A .proto file as comparable lines, one per field, enum value and method: from the generated
// descriptors, and from the text of an official file.
import type { DescEnum, DescField, DescFile, DescMessage } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import protobuf from "protobufjs";

/** `package.Message.field` -> `2 optional bytes oneof=…`. */
export type Shape = Map<string, string>;

function ourType(field: DescField): string {
  if (field.message) return field.message.typeName;
  if (field.enum) return field.enum.typeName;
  return ScalarType[field.scalar].toLowerCase();
}

function ourEnum(shape: Shape, desc: DescEnum): void {
  for (const value of desc.values) {
    shape.set(`${desc.typeName}.${value.name}`, `${value.number}`);
  }
}

function ourMessage(shape: Shape, desc: DescMessage): void {
  for (const field of desc.fields) {
    const label = field.fieldKind === "list" ? "repeated" : "optional";
    const oneof = field.oneof ? ` oneof=${field.oneof.name}` : "";
    shape.set(
      `${desc.typeName}.${field.name}`,
      `${field.number} ${label} ${ourType(field)}${oneof}`,
    );
  }
  for (const nested of desc.nestedMessages) ourMessage(shape, nested);
  for (const nested of desc.nestedEnums) ourEnum(shape, nested);
}

/** The shape of generated files. */
export function generatedShape(files: DescFile[]): Shape {
  const shape: Shape = new Map();
  for (const file of files) {
    for (const desc of file.messages) ourMessage(shape, desc);
    for (const desc of file.enums) ourEnum(shape, desc);
    for (const service of file.services) {
      for (const method of service.methods) {
        shape.set(
          `${service.typeName}.${method.name}`,
          `${method.methodKind} ${method.input.typeName} ${method.output.typeName}`,
        );
      }
    }
  }
  return shape;
}

function bareName(type: protobuf.ReflectionObject): string {
  return type.fullName.replace(/^\./, "");
}

/** Types of files that were not given (well-known ones) are absolute names already. */
function theirType(field: protobuf.Field): string {
  if (field.type in protobuf.types.basic) return field.type;
  const found = field.parent?.lookup(field.type, [protobuf.Type, protobuf.Enum]);
  return found ? bareName(found) : field.type;
}

function theirMethodKind(method: protobuf.Method): string {
  if (method.requestStream) return method.responseStream ? "bidi_streaming" : "client_streaming";
  return method.responseStream ? "server_streaming" : "unary";
}

function theirObject(shape: Shape, object: protobuf.ReflectionObject): void {
  const name = bareName(object);
  if (object instanceof protobuf.Enum) {
    for (const [value, number] of Object.entries(object.values)) {
      shape.set(`${name}.${value}`, `${number}`);
    }
  } else if (object instanceof protobuf.Type) {
    for (const field of object.fieldsArray) {
      const label = field.repeated || field.map ? "repeated" : "optional";
      const oneof = field.partOf ? ` oneof=${field.partOf.name}` : "";
      shape.set(`${name}.${field.name}`, `${field.id} ${label} ${theirType(field)}${oneof}`);
    }
  } else if (object instanceof protobuf.Service) {
    for (const method of object.methodsArray) {
      const type = (ref: string) => bareName(object.lookupType(ref));
      shape.set(
        `${name}.${method.name}`,
        `${theirMethodKind(method)} ${type(method.requestType)} ${type(method.responseType)}`,
      );
    }
  }
  if (object instanceof protobuf.Namespace) {
    for (const nested of object.nestedArray) theirObject(shape, nested);
  }
}

/** The shape of .proto texts that import one another. */
export function textShape(texts: string[]): Shape {
  const root = new protobuf.Root();
  for (const text of texts) protobuf.parse(text, root, { keepCase: true });
  const shape: Shape = new Map();
  theirObject(shape, root);
  return shape;
}

/** What `ours` declares and `official` has otherwise or not at all. */
export function differences(ours: Shape, official: Shape): string[] {
  return [...ours]
    .filter(([name, what]) => official.get(name) !== what)
    .map(([name, what]) => `${name}: ours ${what}, official ${official.get(name) ?? "absent"}`);
}
