import {
  type BinaryOperationNode,
  OperatorNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  ValueListNode,
} from "kysely";

/** Nothing is in an empty list, in SQLite: Postgres has no empty lists. */
export class Compiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator, rightOperand: list } = node;
    const isList = PrimitiveValueListNode.is(list) || ValueListNode.is(list);
    if (!isList || list.values.length > 0) super.visitBinaryOperation(node);
    else this.append(OperatorNode.is(operator) && operator.operator === "not in" ? "true" : "false");
  }
}
