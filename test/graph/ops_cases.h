/*
 * Cases of operators: {operator, operands, attributes, results if not one, whether it has no expression}.
 *
 *     operands    "f32[2,3]" random numbers from -2 to 2; "f32[2]@0:1" from 0 to 1; "i64[2]=0,1" a constant; "-" not given
 *     attributes  "axis=1 pads=0,1 mode=linear"
 */
#ifndef GALI_TEST_GRAPH_OPS_CASES_H
#define GALI_TEST_GRAPH_OPS_CASES_H

#include <stdint.h>

typedef enum ops_none {
    OPS_EXPRESSED,
    OPS_NEVER,
    OPS_BY_NUMBERS, /* expressed where extents are numbers alone */
} ops_none;

typedef struct ops_case {
    const char *op, *operands, *attributes;
    uint32_t results;
    ops_none none;
} ops_case;

static const ops_case ops_cases[] = {
    /* ---- elementwise ---- */
    {"Add", "f32[2,3,4] f32[3,1]", "", 0, 0},
    {"Add", "u8[5]@200:255 u8[1]@200:255", "", 0, 0},
    {"Sub", "i64[2,3] i64[]", "", 0, 0},
    {"Mul", "f32[2,1,4] f32[3,1]", "", 0, 0},
    {"Div", "i32[12]@-9:9 i32[12]@-3:3", "", 0, 0},
    {"Div", "f32[4] f32[2,4]", "", 0, 0},
    {"Mod", "i32[12]@-9:9 i32[12]@-3:3", "", 0, 0},
    {"Mod", "f32[12]@-9:9 f32[12]@1:3", "fmod=1", 0, 0},
    {"Mod", "i64[12]@-9:9 i64[12]@-3:3", "fmod=1", 0, 0},
    {"Pow", "f32[6]@0:2 f32[6]", "", 0, 0},
    {"Pow", "f32[6] i64[6]@0:3", "", 0, 0},
    {"Pow", "i32[6]@0:4 f32[6]@0:2", "", 0, 0},
    {"Pow", "i64[6] i32[6]", "", 0, 0},
    {"Min", "f32[2,3] f32[3] f32[1]", "", 0, 0},
    {"Max", "i8[2,3] i8[3] i8[2,1]", "", 0, 0},
    {"Max", "f32[2,3]", "", 0, 0},
    {"Sum", "f32[2,3] f32[3] f32[1]", "", 0, 0},
    {"Mean", "f32[2,3] f32[3] f32[1]", "", 0, 0},
    {"Neg", "i8[4]@-128:127", "", 0, 0},
    {"Abs", "f32[4]", "", 0, 0},
    {"Sign", "f32[6]", "", 0, 0},
    {"Floor", "f32[6]", "", 0, 0},
    {"Ceil", "f32[6]", "", 0, 0},
    {"Round", "f32[16]", "", 0, 0},
    {"Sqrt", "f32[6]", "", 0, 0},
    {"Exp", "f32[6]", "", 0, 0},
    {"Log", "f32[6]", "", 0, 0},
    {"Erf", "f32[6]", "", 0, 0},
    {"Sin", "f32[6]", "", 0, 0},
    {"Cos", "f32[6]", "", 0, 0},
    {"Tan", "f32[6]", "", 0, 0},
    {"Asin", "f32[6]@-1:1", "", 0, 0},
    {"Acos", "f32[6]@-1:1", "", 0, 0},
    {"Atan", "f32[6]", "", 0, 0},
    {"Sinh", "f32[6]", "", 0, 0},
    {"Cosh", "f32[6]", "", 0, 0},
    {"Tanh", "f32[6]", "", 0, 0},
    {"Asinh", "f32[6]", "", 0, 0},
    {"Acosh", "f32[6]@1:3", "", 0, 0},
    {"Atanh", "f32[6]@-1:1", "", 0, 0},
    {"Identity", "f32[2,3]", "", 0, 0},
    {"Not", "bool[6]@0:1", "", 0, 0},
    {"BitwiseNot", "u8[6]@0:255", "", 0, 0},
    {"And", "bool[6]@0:1 bool[2,6]@0:1", "", 0, 0},
    {"Or", "bool[6]@0:1 bool[2,6]@0:1", "", 0, 0},
    {"Xor", "bool[6]@0:1 bool[2,6]@0:1", "", 0, 0},
    {"BitwiseAnd", "i32[6]@-99:99 i32[6]@-99:99", "", 0, 0},
    {"BitwiseOr", "i32[6]@-99:99 i32[6]@-99:99", "", 0, 0},
    {"BitwiseXor", "i32[6]@-99:99 i32[6]@-99:99", "", 0, 0},
    {"BitShift", "u8[9]@0:255 u8[9]@0:9", "direction=LEFT", 0, 0},
    {"BitShift", "u8[9]@0:255 u8[9]@0:9", "direction=RIGHT", 0, 0},
    {"Equal", "i64[9]@0:2 i64[1]=1", "", 0, 0},
    {"Equal", "i64[3]=1,2,3 i64[3]=1,0,3", "", 0, 0},
    {"Less", "f32[9] f32[]", "", 0, 0},
    {"LessOrEqual", "f32[9] f32[9]", "", 0, 0},
    {"Greater", "f32[9] f32[2,1]", "", 0, 0},
    {"GreaterOrEqual", "i32[9] i32[9]", "", 0, 0},
    {"IsNaN", "f32[3]", "", 0, 0},
    {"IsInf", "f32[3]", "detect_negative=0", 0, 0},
    {"Where", "bool[2,1]@0:1 f32[3] f32[2,3]", "", 0, 0},
    {"Where", "bool[3]=1,0,1 i64[3]=4,5,6 i64[1]=7", "", 0, 0},
    {"Clip", "f32[9] f32[]=-1 f32[]=1", "", 0, 0},
    {"Clip", "i8[9]@-9:9 - i8[]=2", "", 0, 0},
    {"Clip", "f32[9] f32[]@0:1", "", 0, 0},
    {"Cast", "f32[9]@-9:9", "to=3", 0, 0},
    {"Cast", "i32[9]@-1:1", "to=9", 0, 0},
    {"Cast", "f32[9]@-900:900", "to=16", 0, 0},
    {"CastLike", "bool[3]@0:1 f32[1]", "", 0, 0},

    /* ---- activation ---- */
    {"Reciprocal", "f32[9]@1:3", "", 0, 0},
    {"Relu", "f32[9]", "", 0, 0},
    {"Relu", "i8[9]", "", 0, 0},
    {"LeakyRelu", "f32[9]", "alpha=0.125", 0, 0},
    {"LeakyRelu", "f32[9]", "", 0, 0},
    {"ThresholdedRelu", "f32[9]", "", 0, 0},
    {"PRelu", "f32[2,3,4] f32[3,1]", "", 0, 0},
    {"Elu", "f32[9]", "", 0, 0},
    {"Celu", "f32[9]", "alpha=2", 0, 0},
    {"Selu", "f32[9]", "", 0, 0},
    {"Sigmoid", "f32[9]", "", 0, 0},
    {"HardSigmoid", "f32[9]@-9:9", "", 0, 0},
    {"HardSwish", "f32[9]@-9:9", "", 0, 0},
    {"Softplus", "f32[9]@-9:9", "", 0, 0},
    {"Softsign", "f32[9]", "", 0, 0},
    {"Mish", "f32[9]", "", 0, 0},
    {"Gelu", "f32[9]", "", 0, 0},
    {"Gelu", "f32[9]", "approximate=tanh", 0, 0},
    {"Shrink", "f32[9]", "lambd=1 bias=0.5", 0, 0},

    /* ---- reduce ---- */
    {"ReduceSum", "f32[2,3,4] i64[2]=0,-1", "", 0, 0},
    {"ReduceSum", "f32[2,3,4] i64[1]=1", "keepdims=0", 0, 0},
    {"ReduceSum", "f32[2,3,4]", "", 0, 0},
    {"ReduceSum", "f32[2,3,4] i64[0]=", "noop_with_empty_axes=1", 0, 0},
    {"ReduceSum", "i32[2,3,4]", "keepdims=0", 0, 0},
    {"ReduceSum", "f32[2,0,4] i64[1]=1", "", 0, 0},
    {"ReduceMean", "f32[2,3,4] i64[1]=-1", "", 0, 0},
    {"ReduceMean", "i32[2,3,4]@-9:9 i64[1]=-1", "", 0, 0},
    {"ReduceMax", "f32[2,3,4] i64[1]=-1", "keepdims=0", 0, 0},
    {"ReduceMax", "i8[2,3,4]@-128:127 i64[1]=0", "", 0, 0},
    {"ReduceMax", "bool[2,3]@0:1 i64[1]=1", "", 0, 0},
    {"ReduceMin", "f32[2,3,4] i64[2]=0,1", "", 0, 0},
    {"ReduceMin", "u8[2,3] i64[1]=1", "", 0, 0},
    {"ReduceProd", "f32[2,3,4] i64[1]=1", "", 0, 0},
    {"ReduceL1", "f32[2,3,4] i64[1]=1", "", 0, 0},
    {"ReduceL2", "f32[2,3,4] i64[1]=1", "", 0, 0},
    {"ReduceLogSum", "f32[2,3,4]@0:2 i64[1]=1", "", 0, 0},
    {"ReduceLogSumExp", "f32[2,3,4] i64[1]=1", "keepdims=0", 0, 0},
    {"ReduceSumSquare", "f32[2,3,4] i64[1]=1", "", 0, 0},

    /* ---- lane ---- */
    {"Softmax", "f32[2,3,4]", "", 0, 0},
    {"Softmax", "f32[2,3,4]", "axis=0", 0, 0},
    {"LogSoftmax", "f32[2,3,4]", "axis=1", 0, 0},
    {"Hardmax", "f32[2,3,4]@0:1", "axis=1", 0, 0},
    {"LpNormalization", "f32[2,3,4]", "axis=1", 0, 0},
    {"LpNormalization", "f32[2,3,4]", "p=1", 0, 0},
    {"ArgMax", "f32[2,5,4]@0:1", "axis=1", 0, 0},
    {"ArgMax", "f32[2,5,4]@0:1", "axis=1 select_last_index=1 keepdims=0", 0, 0},
    {"ArgMin", "i32[2,5,4]@0:2", "axis=-2", 0, 0},
    {"ArgMin", "u8[2,5,4]@0:2", "axis=-2 select_last_index=1", 0, 0},
    {"CumSum", "f32[2,5,4] i64[]=1", "", 0, 0},
    {"CumSum", "f32[2,5,4] i64[1]=-2", "exclusive=1", 0, 0},
    {"CumSum", "i32[5] i32[]=0", "reverse=1", 0, 0},
    {"CumSum", "f32[5] i32[]=0", "reverse=1 exclusive=1", 0, 0},

    /* ---- product ---- */
    {"MatMul", "f32[2,3] f32[3,4]", "", 0, 0},
    {"MatMul", "f32[5,1,2,3] f32[4,3,2]", "", 0, 0},
    {"MatMul", "f32[3] f32[4,3,2]", "", 0, 0},
    {"MatMul", "f32[2,3] f32[3]", "", 0, 0},
    {"MatMul", "f32[3] f32[3]", "", 0, 0},
    {"MatMul", "i32[2,3] i32[3,4]", "", 0, 0},
    {"Gemm", "f32[2,3] f32[3,4]", "", 0, 0},
    {"Gemm", "f32[3,2] f32[4,3] f32[4]", "transA=1 transB=1 alpha=0.5 beta=0.25", 0, 0},
    {"Gemm", "f32[2,3] f32[4,3] f32[2,1]", "transB=1", 0, 0},
    {"Gemm", "f32[2,3] f32[3,4] f32[]", "beta=2", 0, 0},
    {"MatMulInteger", "u8[2,3]@0:255 i8[3,4]@-128:127 u8[]@0:255 i8[4]@-128:127", "", 0, 0},
    {"MatMulInteger", "u8[2,3]@0:255 u8[3,4]@0:255 u8[2]@0:255", "", 0, 0},
    {"MatMulInteger", "u8[2,3]@0:255 u8[3,4]@0:255", "", 0, 0},
    {"QLinearMatMul", "u8[5,2,3]@0:255 f32[]=0.01 u8[]=3 u8[5,3,4]@0:255 f32[]=0.02 u8[]=7 f32[]=0.5 u8[]=9",
     "", 0, 0},
    {"Det", "f32[5,3,3]", "", 0, OPS_NEVER},

    /* ---- einsum ---- */
    {"Einsum", "f32[2,3] f32[3,4]", "equation=ij,jk->ik", 0, 0},
    {"Einsum", "f32[5,2,3] f32[3,4]", "equation=...ij,jk", 0, 0},
    {"Einsum", "f32[5,2,3] f32[1,3,4]", "equation=...ij,...jk->...ik", 0, 0},
    {"Einsum", "f32[3,3]", "equation=ii->i", 0, 0},
    {"Einsum", "f32[3,3]", "equation=ii", 0, 0},
    {"Einsum", "f32[2,3]", "equation=ij->ji", 0, 0},
    {"Einsum", "f32[2] f32[3] f32[2,3]", "equation=i,j,ij->j", 0, 0},
    {"Einsum", "i64[2,3]", "equation=ij->i", 0, 0},
};

#endif
