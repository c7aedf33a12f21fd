/**
 * What does pailfs print when something is wrong? Every text of its errors and warnings, read out of the sources: `…` stands for what a
 * text says of the case in hand. So no page about them needs to be kept in step by memory.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';

/** Where each text stands, by text. */
export async function printedMessages(sources: string): Promise<ReadonlyMap<string, string>> {
  const messages = new Map<string, string>();
  for (const name of await readdir(sources, { recursive: true })) {
    // The embedded service is no part of a mount, and says what it has to say in the interface's words.
    if (!name.endsWith('.ts') || name.startsWith('server')) continue;
    const text = await readFile(join(sources, name), 'utf8');
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
    for (const said of messageNodes(file)) {
      for (const message of textsOf(said, file)) {
        // A text that is nothing but what another has said.
        if (/[a-z]{3}/.test(message)) messages.set(message, name);
      }
    }
  }
  return messages;
}

/** The expressions that are printed. */
function messageNodes(file: ts.SourceFile): ts.Expression[] {
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    const position = messagePosition(node);
    if (position !== undefined && (ts.isCallExpression(node) || ts.isNewExpression(node))) {
      const said = node.arguments?.[position];
      if (said !== undefined) found.push(said);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function messagePosition(node: ts.Node): number | undefined {
  if (ts.isNewExpression(node)) {
    return ['CommandError', 'EndUnknown', 'MountError'].includes(node.expression.getText()) ? 1 : undefined;
  }
  if (!ts.isCallExpression(node)) return undefined;
  const { expression } = node;
  if (ts.isIdentifier(expression)) return ['usageError', 'fail'].includes(expression.text) ? 0 : undefined;
  if (!ts.isPropertyAccessExpression(expression)) return undefined;
  // It says the text that it is given, where what it runs fails.
  if (expression.name.text === '#logging') return 0;
  const isLog = /(^|\.#?)log$/i.test(expression.expression.getText());
  return isLog && ['warn', 'error'].includes(expression.name.text) ? 0 : undefined;
}

/** All that `node` can say. */
function textsOf(node: ts.Expression, file: ts.SourceFile): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return textsOf(node.expression, file);
  if (ts.isConditionalExpression(node)) {
    return [...textsOf(node.whenTrue, file), ...textsOf(node.whenFalse, file)];
  }
  if (ts.isTemplateExpression(node)) {
    return node.templateSpans.reduce(
      (starts, { expression, literal }) =>
        starts.flatMap((start) => inside(expression).map((middle) => start + middle + literal.text)),
      [node.head.text],
    );
  }
  return ts.isIdentifier(node) ? textsOfVariable(node.text, file) : [];
}

/** Of something said within a text: both ways of a choice between words, else whatever it may be. */
function inside(node: ts.Expression): string[] {
  if (ts.isConditionalExpression(node)) return [...inside(node.whenTrue), ...inside(node.whenFalse)];
  return ts.isStringLiteralLike(node) ? [node.text] : ['…'];
}

function textsOfVariable(name: string, file: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isIt = ts.isVariableDeclaration(node) && node.name.getText() === name;
    if (isIt && node.initializer !== undefined && !ts.isIdentifier(node.initializer)) {
      found.push(...textsOf(node.initializer, file));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
