#ifndef STUB_ERRNO_H
#define STUB_ERRNO_H
int *_errno(void);
#define errno (*_errno())
#define ENOENT 2
#define EACCES 13
#define EEXIST 17
#define ENOSPC 28
#define ENAMETOOLONG 38
#endif
