#pragma once

class FDefaultModuleImpl
{
};

#define IMPLEMENT_MODULE(Class, Name) static_assert(sizeof(Class) > 0, #Name);
