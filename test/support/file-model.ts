/** What does a program think that its file holds? */
export class FileModel {
  bytes: Buffer = Buffer.alloc(0);

  write(data: Uint8Array, at: number): void {
    if (data.length === 0) return;
    this.resize(Math.max(this.bytes.length, at + data.length));
    this.bytes.set(data, at);
  }

  resize(size: number): void {
    const next = Buffer.alloc(size);
    next.set(this.bytes.subarray(0, size));
    this.bytes = next;
  }
}
