#ifndef STUB_WINDOWS_H
#define STUB_WINDOWS_H
#include <stddef.h>
typedef int BOOL;
typedef unsigned UINT;
typedef unsigned long DWORD;
typedef void *HANDLE;
typedef struct _FILETIME {
    DWORD dwLowDateTime, dwHighDateTime;
} FILETIME;
typedef struct _BY_HANDLE_FILE_INFORMATION {
    DWORD dwFileAttributes;
    FILETIME ftCreationTime, ftLastAccessTime, ftLastWriteTime;
    DWORD dwVolumeSerialNumber, nFileSizeHigh, nFileSizeLow, nNumberOfLinks, nFileIndexHigh, nFileIndexLow;
} BY_HANDLE_FILE_INFORMATION;
typedef union _LARGE_INTEGER {
    long long QuadPart;
} LARGE_INTEGER;
#define CP_UTF8 65001
#define MB_ERR_INVALID_CHARS 8
#define ERROR_FILE_NOT_FOUND 2L
#define ERROR_PATH_NOT_FOUND 3L
#define ERROR_FILE_EXISTS 80L
#define ERROR_DISK_FULL 112L
#define ERROR_INSUFFICIENT_BUFFER 122L
#define ERROR_ALREADY_EXISTS 183L
#define FILE_SHARE_READ 1
#define FILE_SHARE_WRITE 2
#define FILE_SHARE_DELETE 4
#define OPEN_EXISTING 3
#define FILE_FLAG_BACKUP_SEMANTICS 0x02000000
#define FILE_ATTRIBUTE_DIRECTORY 0x10
#define FILE_TYPE_DISK 1
#define INVALID_HANDLE_VALUE ((HANDLE)(long long)-1)
#define MOVEFILE_REPLACE_EXISTING 1
int MultiByteToWideChar(UINT page, DWORD flags, const char *text, int size, wchar_t *wide, int most);
DWORD GetLastError(void);
HANDLE CreateFileW(const wchar_t *path, DWORD access, DWORD share, void *security, DWORD disposition,
                   DWORD flags, HANDLE like);
DWORD GetFileType(HANDLE file);
BOOL GetFileInformationByHandle(HANDLE file, BY_HANDLE_FILE_INFORMATION *about);
BOOL CloseHandle(HANDLE handle);
BOOL MoveFileExW(const wchar_t *from, const wchar_t *to, DWORD flags);
BOOL DeleteFileW(const wchar_t *path);
BOOL CreateDirectoryW(const wchar_t *path, void *security);
BOOL QueryPerformanceCounter(LARGE_INTEGER *ticks);
BOOL QueryPerformanceFrequency(LARGE_INTEGER *per_second);
#endif
